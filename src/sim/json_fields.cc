#include "sim/json_fields.h"

#include <fmt/format.h>

namespace berth::sim {
namespace {

constexpr std::uint64_t kMostTokens = 20'000'000;
constexpr double kMostSeconds = 1e9;

}  // namespace

tl::unexpected<Error> JsonFields::wrong(const char* field, const std::string& what) const {
  return fail(ErrorCode::kConfig, fmt::format("{}: {}: {}", place_, field, what));
}

Result<std::uint32_t> JsonFields::tokens(const char* field) const {
  const auto found = object_.find(field);
  if (found == object_.end()) return wrong(field, "it is missing");
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > kMostTokens) {
    return wrong(field,
                 fmt::format("{} is not a whole number from 0 to {}", found->dump(), kMostTokens));
  }
  return found->get<std::uint32_t>();
}

Result<double> JsonFields::seconds(const char* field) const {
  const auto found = object_.find(field);
  if (found == object_.end()) return wrong(field, "it is missing");
  const double value = found->is_number() ? found->get<double>() : -1;
  if (!(value >= 0 && value <= kMostSeconds)) {
    return wrong(field, fmt::format("{} is not a time in seconds", found->dump()));
  }
  return value;
}

Result<std::vector<std::uint64_t>> JsonFields::ids(const char* field) const {
  const auto found = object_.find(field);
  if (found == object_.end()) return wrong(field, "it is missing");
  if (!found->is_array()) return wrong(field, "it is not a list");
  std::vector<std::uint64_t> out;
  out.reserve(found->size());
  for (const nlohmann::json& id : *found) {
    if (!id.is_number_unsigned()) {
      return wrong(field, fmt::format("{} is not a block's number", id.dump()));
    }
    out.push_back(id.get<std::uint64_t>());
  }
  return out;
}

std::string JsonFields::text(const char* field) const {
  const auto found = object_.find(field);
  return found != object_.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<nlohmann::json> parse_object(std::string_view text, const std::string& place) {
  nlohmann::json value;
  try {
    value = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return fail(ErrorCode::kConfig, fmt::format("{}: not JSON, at byte {}", place, error.byte));
  }
  if (!value.is_object()) return fail(ErrorCode::kConfig, place + ": not a JSON object");
  return value;
}

}  // namespace berth::sim
