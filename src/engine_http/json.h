// JSON as the simulated server reads and writes it.
//
// Objects that are written keep the order of their members, as vLLM's models do; objects that are
// read do not, so that two spellings of one object are equal. Duplicate members: the last wins, as
// in Python.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace berth::engine_http {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Nothing if the text is not JSON, not UTF-8, or nested deeper than kMaxDepth.
inline constexpr std::size_t kMaxDepth = 256;
std::optional<Json> parse_json(std::string_view text);

// Compact, members sorted: the form in which arguments and schemas enter a prompt.
std::string canonical(const Json& value);
// Compact, members in order.
std::string dump(const OrderedJson& value);

// The member if the value is an object that has it and it is not null; else null.
const Json* member(const Json& object, std::string_view name);
// The member if it is a string; else `otherwise`.
std::string string_member(const Json& object, std::string_view name,
                          std::string_view otherwise = {});
bool bool_member(const Json& object, std::string_view name);

}  // namespace berth::engine_http
