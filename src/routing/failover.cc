#include "routing/failover.h"

#include <algorithm>

namespace berth::routing {

bool returns_home(const Binding& binding, const Replica& home) {
  const std::uint64_t remembered =
      binding.home_cache == home.cache ? std::min(binding.home_tokens, binding.tokens) : 0;
  return binding.tokens - remembered <= remembered;
}

}  // namespace berth::routing
