#include "inspect/usage_reader.h"

namespace berth::inspect {
namespace {

void read_count(JsonValue value, std::optional<std::uint64_t>& count) {
  const char first = first_char(value);
  std::uint64_t number = 0;
  if (first >= '0' && first <= '9' && !value.get_uint64().get(number)) count = number;
}

void take_over(std::optional<std::uint64_t>& mine, const std::optional<std::uint64_t>& later) {
  if (later) mine = later;
}

}  // namespace

void UsageCounts::update(const UsageCounts& later) {
  take_over(input, later.input);
  take_over(output, later.output);
  take_over(cached, later.cached);
  take_over(cache_read, later.cache_read);
  take_over(cache_created, later.cache_created);
}

void UsageCounts::tell(TapResult& result) const {
  if (input) {
    const std::uint64_t prompt = *input + cache_read.value_or(0) + cache_created.value_or(0);
    if (prompt > 0) result.prompt_tokens = prompt;
  }
  if (cached) result.cached_tokens = cached;
  if (cache_read) result.cached_tokens = cache_read;
  if (output) result.output_tokens = output;
}

JsonError read_usage(JsonValue value, UsageCounts& counts) {
  return for_each_member(value, [&](std::string_view key, JsonValue member) -> JsonError {
    if (key == "prompt_tokens" || key == "input_tokens") {
      read_count(member, counts.input);
    } else if (key == "completion_tokens" || key == "output_tokens") {
      read_count(member, counts.output);
    } else if (key == "cache_read_input_tokens") {
      read_count(member, counts.cache_read);
    } else if (key == "cache_creation_input_tokens") {
      read_count(member, counts.cache_created);
    } else if (key == "prompt_tokens_details" || key == "input_tokens_details") {
      return for_each_member(member, [&](std::string_view name, JsonValue detail) {
        if (name == "cached_tokens") read_count(detail, counts.cached);
        return simdjson::SUCCESS;
      });
    }
    return simdjson::SUCCESS;
  });
}

}  // namespace berth::inspect
