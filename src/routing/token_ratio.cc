#include "routing/token_ratio.h"

namespace berth::routing {
namespace {

constexpr double kKeep = 0.99;

}  // namespace

void TokenRatio::learn(std::uint64_t body_bytes, std::uint64_t prompt_tokens) {
  if (body_bytes == 0 || prompt_tokens == 0) return;
  bytes_ = bytes_ * kKeep + static_cast<double>(body_bytes);
  tokens_ = tokens_ * kKeep + static_cast<double>(prompt_tokens);
}

std::uint64_t TokenRatio::estimate(std::uint64_t body_bytes) const {
  return static_cast<std::uint64_t>(static_cast<double>(body_bytes) * tokens_ / bytes_);
}

}  // namespace berth::routing
