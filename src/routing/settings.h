// Routing settings of one model, with their defaults and why they are what they are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace berth::routing {

enum class Policy : std::uint8_t {
  kSticky,       // the product: least-loaded placement, homes, overflow, moves
  kSessionHash,  // for comparison: rendezvous hash of the session, blind to load
  kRoundRobin,   // for comparison
  kLeastLoaded,  // for comparison: no homes
};
std::string_view policy_name(Policy policy);
std::optional<Policy> policy_from_name(std::string_view name);

struct Settings {
  bool affinity = true;
  Policy policy = Policy::kSticky;
  // Requests in flight at home, before this one, above which a request may overflow. Absent =
  // "auto": max_num_seqs / 4, the rule of the measured reference.
  std::optional<std::uint32_t> overflow_threshold;
  // The engine's --max-num-seqs per replica. vLLM does not publish it; absent = assumed
  // kAssumedMaxNumSeqs, raised when more requests are seen running.
  std::optional<std::uint32_t> max_num_seqs;
  static constexpr std::uint32_t kAssumedMaxNumSeqs = 32;

  Duration binding_ttl = std::chrono::hours(1);         // an idle binding is forgotten
  Duration resident_window = std::chrono::minutes(10);  // bound and used this recently = resident
  std::size_t max_bindings = 200'000;
  std::size_t max_histories = 20'000;  // conversations whose chain and decision history are kept

  // A move (home changes) needs all of these; the router's header argues the values.
  std::uint32_t move_gap = 8;              // home has this many more in flight than the other
  double move_ratio = 2.0;                 // and this many times as many
  std::uint64_t move_max_tokens = 32'768;  // and re-reading the history elsewhere stays cheap
  std::uint32_t move_after_overflows = 3;  // and home was past the threshold this often in a row
  Duration move_cooldown = std::chrono::minutes(2);  // and the conversation has not just moved

  Duration slow_start =
      std::chrono::seconds(30);  // a fresh replica takes new conversations gradually
};

}  // namespace berth::routing
