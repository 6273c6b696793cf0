// What texts may hold: names, paths, header names, digests, secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace berth::config {

// "a path", "a text", ...: what was expected, for an error message.
std::string_view text_type_phrase(Text kind);

// Checks `text` and brings it to its one spelling. Empty, or what is wrong as a phrase that follows
// the key.
std::optional<std::string> apply_text_rule(const Rule& rule, std::string& text);

// A secret travels in a header: 1 to 4096 visible ASCII characters. The answer never repeats any of
// it.
std::optional<std::string> check_secret(std::string_view secret);

// The pieces between commas and blanks, without empty ones.
std::vector<std::string_view> split_words(std::string_view text);

}  // namespace berth::config
