#include "gateway/credible_usage.h"

namespace berth::gateway {
namespace {

std::optional<std::uint64_t> credible(std::optional<std::uint64_t> tokens) {
  return tokens && *tokens <= kMostTokens ? tokens : std::nullopt;
}

}  // namespace

routing::Usage credible_usage(const inspect::TapResult& told) {
  routing::Usage usage;
  usage.prompt_tokens = credible(told.prompt_tokens);
  usage.output_tokens = credible(told.output_tokens);
  if (usage.prompt_tokens && told.cached_tokens <= usage.prompt_tokens) {
    usage.cached_tokens = told.cached_tokens;
  }
  return usage;
}

}  // namespace berth::gateway
