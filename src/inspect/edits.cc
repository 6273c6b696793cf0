#include "inspect/edits.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "inspect/json_text.h"

namespace berth::inspect {
namespace {

// Puts a member first in an object whose '{' ends at `begin`.
Splice first_member(std::size_t begin, bool object_empty, std::string member) {
  if (!object_empty) member += ',';
  return {{begin, begin}, std::move(member)};
}

bool has_members(std::string_view object) {
  return object.find_first_not_of(" \t\r\n", 1) != object.size() - 1;
}

}  // namespace

Splice splice_model(const BodyFacts& facts, std::string_view new_model) {
  if (facts.model_value) return {*facts.model_value, json_string(new_model)};
  return first_member(facts.object_begin, facts.object_empty,
                      "\"model\":" + json_string(new_model));
}

bool lacks_usage_chunk(const Endpoint& endpoint, const BodyFacts& facts) {
  const bool has_chunk =
      endpoint.shape == ApiShape::kOpenAiChat || endpoint.shape == ApiShape::kOpenAiCompletions;
  return has_chunk && facts.stream && !facts.include_usage.value_or(false) &&
         !facts.continuous_usage;
}

Splice splice_include_usage(const BodyFacts& facts, std::string_view body) {
  if (facts.include_usage_value) return {*facts.include_usage_value, "true"};
  if (facts.stream_options) {
    const Range at = *facts.stream_options;
    const std::string_view options = body.substr(at.begin, at.end - at.begin);
    return first_member(at.begin + 1, !has_members(options), "\"include_usage\":true");
  }
  if (facts.stream_options_null) return {*facts.stream_options_null, "{\"include_usage\":true}"};
  return first_member(facts.object_begin, facts.object_empty,
                      "\"stream_options\":{\"include_usage\":true}");
}

Splice splice_cache_salt(const BodyFacts& facts, std::string_view salt) {
  if (facts.cache_salt_value) return {*facts.cache_salt_value, json_string(salt)};
  return first_member(facts.object_begin, facts.object_empty,
                      "\"cache_salt\":" + json_string(salt));
}

std::string apply(std::string_view body, std::vector<Splice> splices) {
  std::sort(splices.begin(), splices.end(), [](const Splice& a, const Splice& b) {
    return std::pair(a.at.begin, a.at.end) < std::pair(b.at.begin, b.at.end);
  });
  std::size_t size = body.size();
  for (const Splice& splice : splices) size += splice.text.size() + 1;
  std::string out;
  out.reserve(size + kPadding);
  std::size_t done = 0;
  std::size_t inserted_at = std::string_view::npos;
  for (const Splice& splice : splices) {
    BERTH_CHECK(done <= splice.at.begin && splice.at.begin <= splice.at.end &&
                splice.at.end <= body.size());
    out.append(body.substr(done, splice.at.begin - done));
    // Two members put into one empty object.
    if (splice.at.begin == inserted_at && !out.ends_with(',')) out += ',';
    out.append(splice.text);
    done = splice.at.end;
    if (splice.at.begin == splice.at.end) inserted_at = splice.at.end;
  }
  out.append(body.substr(done));
  return out;
}

}  // namespace berth::inspect
