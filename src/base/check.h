// Checks for what only a bug can cause. What a peer, the operator or the OS can cause is a value
// (result.h).
//
// A failed check prints the condition and its place on stderr and aborts: state that broke an
// invariant must not go on routing requests.
#pragma once

namespace berth {

// Prints and aborts. Called by BERTH_CHECK only.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace berth

#define BERTH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::berth::check_failed(#condition, __FILE__, __LINE__))
