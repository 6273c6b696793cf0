// Name resolution that keeps its deadline.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "net/abort.h"
#include "net/name_cache.h"
#include "net/types.h"

namespace berth::net {

struct Resolved {
  error_code error;  // timed_out when the deadline passed first, operation_aborted when aborted
  std::vector<tcp::endpoint> endpoints;
};

// With an older answer at hand no look-up is waited for longer than this: what a name service
// that works needs, many times over.
inline constexpr Duration kLookUpPatience = std::chrono::milliseconds(500);

// The addresses of `host`, at most NameCache::kMaxAddresses. An IP literal needs no look-up, and a
// name that was asked for within NameCache::kFresh none either. When the look-up fails, or takes
// longer than kLookUpPatience, the last good addresses serve if there are any. When the deadline
// passes, or on an abort, this returns, and the look-up ends unheard. `names` must outlive it.
Task<Resolved> resolve(std::string host, std::uint16_t port, Instant deadline,
                       Abort* abort = nullptr, NameCache* names = &NameCache::process());

}  // namespace berth::net
