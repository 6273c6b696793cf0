// Numbers and times as people read them. ASCII only, so that every terminal and log shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::cli {

// "1,204,387"
std::string thousands(std::uint64_t n);

// Three digits or so: "950", "38.2k", "1.25M".
std::string compact(std::uint64_t n);

// A share 0..1 as "96.4%"; "-" when there is none (no traffic is not zero).
std::string percent(std::optional<double> share);

// Two units at most: "0.4 s", "42 s", "3 min 20 s", "2 h 3 min", "3 d 4 h".
std::string duration(double seconds);

// "1 turn", "2 turns": the noun with an s unless n is 1.
std::string counted(std::uint64_t n, std::string_view noun);

}  // namespace berth::cli
