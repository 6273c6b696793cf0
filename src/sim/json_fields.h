// Fields of JSON traces, checked: every error says which file, where in it, and what was wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::sim {

// One object of a file. `place` is what stands before the field in an error: "a.jsonl:12" or
// "a.json: requests[3]".
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string place)
      : object_(object), place_(std::move(place)) {}

  bool has(const char* field) const { return object_.contains(field); }
  Result<std::uint32_t> tokens(const char* field) const;
  Result<double> seconds(const char* field) const;
  Result<std::vector<std::uint64_t>> ids(const char* field) const;
  // Empty where it is absent or no string.
  std::string text(const char* field) const;
  tl::unexpected<Error> wrong(const char* field, const std::string& what) const;

 private:
  const nlohmann::json& object_;
  std::string place_;
};

// kConfig with `place` when the text is no JSON object.
Result<nlohmann::json> parse_object(std::string_view text, const std::string& place);

}  // namespace berth::sim
