// A server's GET /v1/models: its names and LoRA adapters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::fleet {

struct ListedModel {
  std::string id;
  std::string parent;               // of a LoRA adapter: the base model's name; else empty
  std::string root;                 // the weights' path; equal for all names of one model
  std::uint64_t max_model_len = 0;  // 0: not told
};

// kUpstreamBadResponse with a reason that fits behind "http://...: " when `body` is not a model
// list. At most 1024 entries are kept; entries without an id are skipped.
Result<std::vector<ListedModel>> parse_models_list(std::string_view body);

}  // namespace berth::fleet
