// Faults a test asks for: how a generating request shall fail.
//
// A plan is a comma-separated list, as the value of the request header x-berth-fault or queued by
// the server:
//   refuse-503 (any status 400 to 599)   answer with that status at once
//   retry-after=5                        and with this header
//   slow-first-byte=MS                   say nothing for that long, then go on
//   hang                                 say nothing until the client leaves
//   die-before-first-byte                drop the connection instead of answering
//   die-after-head                       of a stream: send the head, then drop
//   die-mid-stream[=TOKENS]              of a stream: drop after that many tokens (default 3)
//   hang-mid-stream[=TOKENS]             fall silent instead
//   error-mid-stream[=TOKENS]            send the API's in-stream error instead
// The *-mid-stream and die-after-head faults drop a request that is no stream before its first byte
// (the error: 500). Only with --allow-faults.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace berth::engine_http {

inline constexpr std::string_view kFaultHeader = "x-berth-fault";

enum class StreamFault : std::uint8_t { kNone, kDie, kHang, kError };

struct FaultPlan {
  std::optional<int> refuse;
  std::optional<std::uint32_t> retry_after;  // seconds
  std::chrono::milliseconds slow_first_byte{0};
  bool hang = false;
  bool die_before_first_byte = false;
  // After that many tokens; 0: right after the head.
  StreamFault stream_fault = StreamFault::kNone;
  std::uint64_t stream_tokens = 3;
};

// Errors (kBadRequest) name the part that is not understood.
Result<FaultPlan> parse_fault_plan(std::string_view text);

}  // namespace berth::engine_http
