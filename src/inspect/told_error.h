// Which HTTP status an error inside a stream stands for: the only place where a server can tell a
// client's mistake from its own after it has sent its 200.
//
// vLLM puts the status into `code` (vllm/entrypoints/openai/engine/protocol.py, ErrorResponse) and
// a type of its own into `type`; its messages API has only the type. The other names are those of
// the APIs themselves.
#pragma once

#include <optional>
#include <string_view>

#include "inspect/json_parse.h"

namespace berth::inspect {

// Gathers what an error object tells, member by member. Owned by whoever reads the object.
class ToldError {
 public:
  // Takes `code`, `status` or `type`; any other member says nothing.
  JsonError take(std::string_view key, JsonValue value);
  // 400..599. None: nothing was told, or nothing that Berth knows.
  std::optional<int> status() const { return number_ ? number_ : by_name_; }

 private:
  void take_name(std::string_view name);

  std::optional<int> number_;
  std::optional<int> by_name_;
};

}  // namespace berth::inspect
