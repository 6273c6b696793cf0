#include "sim/meter.h"

#include <algorithm>

namespace berth::sim {
namespace {

double share(double part, double whole, double of_nothing = 0) {
  return whole > 0 ? part / whole : of_nothing;
}

template <typename Counter>
void since(engine::RankStats& now, const engine::RankStats& start, Counter counter) {
  now.*counter -= start.*counter;
}

engine::RankStats difference(engine::RankStats now, const engine::RankStats& start) {
  using Stats = engine::RankStats;
  for (auto counter : {&Stats::prefix_queries, &Stats::prefix_hits, &Stats::prefix_attempt_queries,
                       &Stats::prefix_attempt_hits, &Stats::prompt_tokens, &Stats::prompt_cached,
                       &Stats::generation_tokens, &Stats::finished, &Stats::aborted,
                       &Stats::preemptions, &Stats::steps, &Stats::prefill_tokens,
                       &Stats::decode_tokens, &Stats::recomputed_tokens, &Stats::evicted_blocks}) {
    since(now, start, counter);
  }
  for (auto counter :
       {&Stats::base_seconds, &Stats::prefill_seconds, &Stats::decode_seconds,
        &Stats::kv_blocked_seconds, &Stats::seqs_blocked_seconds, &Stats::budget_blocked_seconds}) {
    since(now, start, counter);
  }
  return now;
}

}  // namespace

void Meter::open(const Fleet& fleet, Instant now) {
  *this = Meter{};
  open_ = true;
  opened_ = now;
  for (routing::ReplicaIndex i = 0; i < fleet.replicas().size(); ++i) {
    start_.push_back(fleet.stats(i));
  }
}

void Meter::first_byte(double waited_s) {
  if (!open_) return;
  ttfb_.push_back(waited_s);
  waits_.push_back({waited_s, true});
}

void Meter::unanswered(double waited_s) { waits_.push_back({waited_s, false}); }

void Meter::session_lasted(double seconds, bool ended) {
  if (!open_) return;
  session_waits_.push_back({seconds, ended});
  if (ended) sessions_ended_.push_back(seconds);
}

void Meter::later_turn(bool stayed) {
  if (!open_) return;
  ++later_;
  if (stayed) ++stayed_;
}

ReplicaAccount& Meter::tally(routing::ReplicaIndex replica) {
  if (tallies_.size() <= replica) tallies_.resize(replica + std::size_t{1});
  return tallies_[replica];
}

void Meter::reused(routing::ReplicaIndex replica, bool stayed, std::uint64_t kept,
                   std::uint64_t cached) {
  if (!open_) return;
  ReplicaAccount& here = tally(replica);
  ++here.turns;
  if (kept <= cached) return;
  (stayed ? here.reread_evicted : here.reread_elsewhere) += kept - cached;
  if (stayed && cached * 2 < kept) ++here.evicted_alive;
}

void Meter::poll(const Fleet& fleet) {
  if (!open_) return;
  ++poll_count_;
  polls_.resize(fleet.replicas().size());
  for (routing::ReplicaIndex i = 0; i < polls_.size(); ++i) {
    const engine::RankStats stats = fleet.stats(i);
    Polls& seen = polls_[i];
    ++seen.count;
    seen.running += stats.running;
    seen.waiting += stats.waiting;
    seen.kv += stats.kv_usage;
    seen.kv_max = std::max(seen.kv_max, stats.kv_usage);
    if (stats.running == 0) continue;
    ++seen.busy;
    ++busy_;
  }
}

ReplicaAccount Meter::account(const Fleet& fleet, routing::ReplicaIndex replica,
                              double window_s) const {
  ReplicaAccount out = replica < tallies_.size() ? tallies_[replica] : ReplicaAccount{};
  out.label = fleet.replicas()[replica].label;
  out.window_s = window_s;
  out.work = difference(fleet.stats(replica),
                        replica < start_.size() ? start_[replica] : engine::RankStats{});
  if (replica >= polls_.size() || polls_[replica].count == 0) return out;
  const Polls& seen = polls_[replica];
  const auto count = static_cast<double>(seen.count);
  out.running = seen.running / count;
  out.waiting = seen.waiting / count;
  out.kv_usage = seen.kv / count;
  out.kv_usage_max = seen.kv_max;
  out.busy = static_cast<double>(seen.busy) / count;
  return out;
}

WindowResult Meter::close(const Fleet& fleet, Instant now) {
  open_ = false;
  const double window_s = to_seconds(now - opened_);
  const double minutes = window_s / 60;
  WindowResult out;
  engine::RankStats all;
  double reread = 0;
  Measures& m = out.measures;
  for (routing::ReplicaIndex i = 0; i < fleet.replicas().size(); ++i) {
    out.replicas.push_back(account(fleet, i, window_s));
    const ReplicaAccount& one = out.replicas.back();
    all.generation_tokens += one.work.generation_tokens;
    all.prefix_queries += one.work.prefix_queries;
    all.prefix_hits += one.work.prefix_hits;
    all.prefix_attempt_queries += one.work.prefix_attempt_queries;
    all.prefix_attempt_hits += one.work.prefix_attempt_hits;
    all.preemptions += one.work.preemptions;
    reread += static_cast<double>(one.reread_evicted + one.reread_elsewhere);
    m.kv_usage_max = std::max(m.kv_usage_max, one.kv_usage_max);
  }
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  m.output_tokens_per_min = share(number(all.generation_tokens), minutes);
  m.turns_per_min = share(number(turns_), minutes);
  m.sessions_per_hour = share(number(sessions_), minutes / 60);
  m.ttfb_p50_s = percentile(ttfb_, 0.5);
  m.ttfb_p95_s = percentile(ttfb_, 0.95);
  m.ttfb_p95_km_s = survival_percentile(waits_, 0.95);
  m.ttfb_mean_s = mean(ttfb_);
  for (const Wait& wait : waits_) {
    m.ttfb_max_s = std::max(m.ttfb_max_s, wait.seconds);
    if (!wait.ended) ++m.unanswered;
  }
  m.session_mean_s = mean(sessions_ended_);
  m.session_p95_s = percentile(sessions_ended_, 0.95);
  m.session_p95_km_s = survival_percentile(session_waits_, 0.95);
  m.prefix_hit_ratio = share(number(all.prefix_hits), number(all.prefix_queries));
  m.prefix_hit_ratio_per_attempt =
      share(number(all.prefix_attempt_hits), number(all.prefix_attempt_queries));
  m.stayed_ratio = share(number(stayed_), number(later_), 1);
  m.replicas_busy = share(number(busy_), number(poll_count_));
  m.reread_tokens_per_min = share(reread, minutes);
  m.preemptions_per_min = share(number(all.preemptions), minutes);
  m.errors = number(errors_);
  return out;
}

}  // namespace berth::sim
