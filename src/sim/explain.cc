#include "sim/explain.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::sim {
namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

double busy_seconds(const ReplicaAccount& r) {
  return r.work.base_seconds + r.work.prefill_seconds + r.work.decode_seconds;
}

// More than this share of a replica's time counts as its limit.
constexpr double kMostlyPercent = 35;
constexpr double kIdlePercent = 25;
constexpr double kBlockedPercent = 25;

std::string shares(const ReplicaAccount& r) {
  const double idle = std::max(0.0, r.window_s - busy_seconds(r));
  return fmt::format(
      "{:<12} prefill {:3.0f} %, decode {:3.0f} %, step overhead {:3.0f} %, idle {:3.0f} %; queue "
      "behind KV {:3.0f} %, max_num_seqs {:3.0f} %, token budget {:3.0f} %; running {:.1f}, "
      "waiting "
      "{:.1f}, KV {:.0f} % (highest {:.0f} %)",
      r.label, percent(r.work.prefill_seconds, r.window_s),
      percent(r.work.decode_seconds, r.window_s), percent(r.work.base_seconds, r.window_s),
      percent(idle, r.window_s), percent(r.work.kv_blocked_seconds, r.window_s),
      percent(r.work.seqs_blocked_seconds, r.window_s),
      percent(r.work.budget_blocked_seconds, r.window_s), r.running, r.waiting, 100 * r.kv_usage,
      100 * r.kv_usage_max);
}

std::string waste(const ReplicaAccount& r) {
  const auto computed = static_cast<double>(r.work.prefill_tokens);
  return fmt::format(
      "{:<12} computed {} prompt tokens; again because evicted {} ({:.0f} %), because the turn "
      "came from elsewhere {} ({:.0f} %), after {} preemptions {} ({:.0f} %); {} of {} later turns "
      "found most of their history gone",
      r.label, r.work.prefill_tokens, r.reread_evicted,
      percent(static_cast<double>(r.reread_evicted), computed), r.reread_elsewhere,
      percent(static_cast<double>(r.reread_elsewhere), computed), r.work.preemptions,
      r.work.recomputed_tokens, percent(static_cast<double>(r.work.recomputed_tokens), computed),
      r.evicted_alive, r.turns);
}

}  // namespace

std::string what_limited(const ReplicaAccount& r) {
  const double idle = percent(r.window_s - busy_seconds(r), r.window_s);
  if (idle > kIdlePercent) {
    return fmt::format("had nothing to do {:.0f} % of the time", idle);
  }
  const double kv = percent(r.work.kv_blocked_seconds, r.window_s);
  const double seqs = percent(r.work.seqs_blocked_seconds, r.window_s);
  const double prefill = percent(r.work.prefill_seconds, r.window_s);
  std::string out;
  if (kv > kBlockedPercent) {
    out = fmt::format(
        "its KV cache was full: {:.0f} % of the time {:.1f} requests on average "
        "waited for blocks",
        kv, r.waiting);
  } else if (seqs > kBlockedPercent) {
    out = fmt::format("max_num_seqs: {:.0f} % of the time requests waited for a place", seqs);
  } else if (prefill > kMostlyPercent) {
    out = fmt::format("computing prompts took {:.0f} % of its time", prefill);
  } else {
    return "generating tokens: prompts were cheap and nothing waited for long";
  }
  const double again =
      percent(static_cast<double>(r.reread_evicted + r.reread_elsewhere + r.work.recomputed_tokens),
              static_cast<double>(r.work.prefill_tokens));
  return out +
         fmt::format("; {:.0f} % of the prompt tokens it computed had been computed before", again);
}

std::vector<std::string> explain(const WindowResult& result) {
  std::vector<std::string> lines;
  for (const ReplicaAccount& r : result.replicas) lines.push_back(shares(r));
  for (const ReplicaAccount& r : result.replicas) lines.push_back(waste(r));
  for (const ReplicaAccount& r : result.replicas) {
    lines.push_back(fmt::format("{:<12} {}", r.label, what_limited(r)));
  }
  lines.insert(lines.end(), result.notes.begin(), result.notes.end());
  return lines;
}

}  // namespace berth::sim
