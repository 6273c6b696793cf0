#include "console/bodies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "console/json.h"
#include "routing/identity.h"

namespace berth::console {
namespace {

// As in the configuration. A threshold that is never reached switches overflow off.
constexpr std::uint64_t kMaxThreshold = 65'536;

using Fields = std::initializer_list<std::string_view>;

// An object with no field outside `known`.
Result<Json> parse_object(std::string_view body, Fields known) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) return fail(ErrorCode::kBadJson, "The body is not valid JSON.");
  if (!json.is_object()) return fail(ErrorCode::kBadJson, "The body must be a JSON object.");
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      // The key is the caller's own text: cut, so that an error never grows with it.
      return fail(ErrorCode::kBadJson, fmt::format("Unknown field \"{}\"; known: {}.",
                                                   key.substr(0, 64), fmt::join(known, ", ")));
    }
  }
  return json;
}

tl::unexpected<Error> bad_field(std::string_view field, std::string_view rule) {
  return fail(ErrorCode::kBadJson, fmt::format("\"{}\" must be {}.", field, rule));
}

Result<std::optional<std::uint32_t>> parse_threshold(const Json& value) {
  if (value.is_string() && value.get_ref<const std::string&>() == "auto") {
    return std::optional<std::uint32_t>{};
  }
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMaxThreshold) {
    return std::optional<std::uint32_t>{value.get<std::uint32_t>()};
  }
  return bad_field("overflow_threshold", "\"auto\" or a whole number from 0 to 65536");
}

}  // namespace

Result<std::string> parse_explain(std::string_view body) {
  auto json = parse_object(body, {"session"});
  if (!json) return tl::unexpected(json.error());
  const auto session = json->find("session");
  const std::string rule = fmt::format("a session id: text of 1 to {} bytes", routing::kMaxIdBytes);
  if (session == json->end() || !session->is_string()) return bad_field("session", rule);
  const auto& text = session->get_ref<const std::string&>();
  if (text.empty() || text.size() > routing::kMaxIdBytes) return bad_field("session", rule);
  return text;
}

Result<observe::RoutingChange> parse_routing_change(std::string_view body) {
  auto json = parse_object(body, {"affinity", "policy", "overflow_threshold"});
  if (!json) return tl::unexpected(json.error());
  if (json->empty()) {
    return fail(ErrorCode::kBadJson,
                "Nothing to change: give affinity, policy or overflow_threshold.");
  }
  observe::RoutingChange change;
  if (const auto affinity = json->find("affinity"); affinity != json->end()) {
    if (!affinity->is_boolean()) return bad_field("affinity", "true or false");
    change.affinity = affinity->get<bool>();
  }
  if (const auto policy = json->find("policy"); policy != json->end()) {
    if (policy->is_string()) {
      change.policy = routing::policy_from_name(policy->get_ref<const std::string&>());
    }
    if (!change.policy) {
      return bad_field("policy", "sticky, session-hash, round-robin or least-loaded");
    }
  }
  if (const auto value = json->find("overflow_threshold"); value != json->end()) {
    auto threshold = parse_threshold(*value);
    if (!threshold) return tl::unexpected(threshold.error());
    change.overflow_threshold = *threshold;
  }
  return change;
}

Result<bool> parse_drain(std::string_view body) {
  auto json = parse_object(body, {"drain"});
  if (!json) return tl::unexpected(json.error());
  const auto drain = json->find("drain");
  if (drain == json->end() || !drain->is_boolean()) return bad_field("drain", "true or false");
  return drain->get<bool>();
}

}  // namespace berth::console
