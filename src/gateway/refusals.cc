#include "gateway/refusals.h"

#include <fmt/format.h>

namespace berth::gateway {

inspect::ApiShape shape_of_unknown_path(std::string_view path) {
  return path.starts_with("/v1/messages") ? inspect::ApiShape::kAnthropic
                                          : inspect::ApiShape::kOpenAiOther;
}

tl::unexpected<Error> unknown_model(std::string_view asked, const ModelTable& models) {
  const std::vector<ModelTable::Name> names = models.names();
  if (names.empty()) return fail(ErrorCode::kNoReplica, "no model server has been reached yet");
  constexpr std::size_t kMaxNamed = 10;
  constexpr std::size_t kMaxAsked = 128;
  std::string served;
  std::size_t count = 0;
  const auto add = [&](const std::string& name) {
    if (count < kMaxNamed) served += fmt::format("{}\"{}\"", count == 0 ? "" : ", ", name);
    ++count;
  };
  for (const ModelTable::Name& name : names) {
    add(name.id);
    for (const std::string& alias : name.aliases) add(alias);
  }
  if (count > kMaxNamed) served += fmt::format(" and {} more", count - kMaxNamed);
  return fail(ErrorCode::kUnknownModel, fmt::format("model \"{}\" is not served here; served: {}",
                                                    asked.substr(0, kMaxAsked), served));
}

std::optional<std::uint32_t> retry_after_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNoReplica:
    case ErrorCode::kConnectFailed:
    case ErrorCode::kConnectTimeout:
    case ErrorCode::kUpstreamReset:
      return 5;
    case ErrorCode::kOverloaded:
    case ErrorCode::kDraining:
      return 2;
    default:
      return std::nullopt;
  }
}

}  // namespace berth::gateway
