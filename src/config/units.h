// Durations and sizes as people write them: "4s", "500ms", "1h30m", "64MiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace berth::config {

// Whole or decimal numbers with ms, s, m or h, largest unit first when several ("1m30s"); "0" needs
// no unit. Nothing for anything else, also for a bare number: 10 of what?
std::optional<Duration> parse_duration(std::string_view text);

// The shortest form that parse_duration reads back to the same value, down to a millisecond: 90 s
// is "90s", 120 s is "2m", zero is "0s".
std::string format_duration(Duration duration);

// A whole number of B, KiB, MiB, GiB (powers of 1024) or kB, MB, GB (powers of 1000), in any case,
// with or without a space. A bare number is bytes. Nothing for anything else, also for "64M", which
// people read either way.
std::optional<std::uint64_t> parse_size(std::string_view text);

// The shortest form that parse_size reads back: 67108864 is "64MiB".
std::string format_size(std::uint64_t bytes);

}  // namespace berth::config
