// One parse of one JSON text with simdjson's on-demand parser, and the few reads everything here
// shares.
//
// Every thread has one parser; its buffers are kept between parses up to kKeptParserBytes of text.
// So at most one JsonParse may live on a thread at a time, and views it gave die with it.
//
// On-demand checks the framing (balanced root, valid UTF-8, closed strings), not every skipped
// value: the engine judges those. An error inside a nested value ends the whole iteration, so every
// function that walks returns its error_code and every caller passes it on.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "base/result.h"
#include "inspect/request_facts.h"

namespace berth::inspect {

using JsonValue = simdjson::ondemand::value;
using JsonObject = simdjson::ondemand::object;
using JsonError = simdjson::error_code;

inline constexpr std::size_t kKeptParserBytes = 4u << 20;

class JsonParse {
 public:
  // `text` must have kPadding readable bytes after its end and outlive this.
  explicit JsonParse(std::string_view text) : text_(text) {}
  ~JsonParse();
  JsonParse(const JsonParse&) = delete;
  JsonParse& operator=(const JsonParse&) = delete;

  // The root, which must be an object. Call once.
  JsonError root_object(JsonObject& out);
  // How long a text this thread's parser holds buffers for.
  static std::size_t kept_bytes();
  // After the root was walked to its end: true if nothing follows it.
  bool at_end() { return document_.current_location().error() == simdjson::OUT_OF_BOUNDS; }

 private:
  std::string_view text_;
  simdjson::ondemand::document document_;
};

// The value's first byte: which type it claims to be ('"', '{', '[', 't', 'f', 'n', '-' or a
// digit).
inline char first_char(JsonValue value) { return value.raw_json_token().front(); }

// A scalar's bytes as they stand in the text, without the whitespace after it. Does not consume the
// value.
std::string_view scalar_token(JsonValue value);

// The text of a string value ("" for any other type); a string that is no valid text (a lone
// surrogate escape) is given as its bytes in the body. Each string may be read once.
std::string_view text_of(JsonValue value);

// The bytes of any value, without the whitespace after it. Consumes the value.
JsonError raw_value(JsonValue value, std::string_view& out);

// Calls visit(key, value) -> JsonError for every member, the keys unescaped.
template <typename Visit>
JsonError for_each_member(JsonObject object, Visit visit) {
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (JsonError error = std::move(result).get(field)) return error;
    std::string_view key;
    if (field.unescaped_key().get(key)) key = {};  // a key that is no text is none of ours
    if (JsonError error = visit(key, field.value())) return error;
  }
  return simdjson::SUCCESS;
}

// As above for a value that must be an object; any other type has no members.
template <typename Visit>
JsonError for_each_member(JsonValue value, Visit visit) {
  if (first_char(value) != '{') return simdjson::SUCCESS;
  JsonObject object;
  if (JsonError error = value.get_object().get(object)) return error;
  return for_each_member(object, visit);
}

// Calls visit(value) -> JsonError for every element of an array; any other type has none.
template <typename Visit>
JsonError for_each_element(JsonValue value, Visit visit) {
  if (first_char(value) != '[') return simdjson::SUCCESS;
  simdjson::ondemand::array array;
  if (JsonError error = value.get_array().get(array)) return error;
  for (auto result : array) {
    JsonValue element;
    if (JsonError error = std::move(result).get(element)) return error;
    if (JsonError error = visit(element)) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace berth::inspect
