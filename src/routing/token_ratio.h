// Tokens a byte of request body, learned from requests the engine measured.
//
// Used only for the size of a conversation before the engine told it. A ratio of decayed sums, not
// an average of ratios, so that long prompts weigh as they should; half of the weight is the last
// 70 requests.
#pragma once

#include <cstdint>

namespace berth::routing {

class TokenRatio {
 public:
  void learn(std::uint64_t body_bytes, std::uint64_t prompt_tokens);
  std::uint64_t estimate(std::uint64_t body_bytes) const;

 private:
  // Before the first measurement: four bytes a token, the usual rule for English text and code.
  double bytes_ = 4096;
  double tokens_ = 1024;
};

}  // namespace berth::routing
