// Random events from a seed, and what must hold after each of them.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "routing/packed_key.h"
#include "routing/stable_hash.h"
#include "routing/test_rig.h"

namespace berth::routing {
namespace {

constexpr int kSessions = 40;
constexpr std::size_t kMaxBindings = 30;

Settings small_and_twitchy() {
  Settings settings;
  settings.max_bindings = kMaxBindings;
  settings.max_histories = 20;
  settings.overflow_threshold = 3;
  settings.move_gap = 2;
  settings.move_after_overflows = 2;
  settings.move_cooldown = std::chrono::seconds(5);
  return settings;
}

// One run of random events against a router with two kinds of servers.
class Storm {
 public:
  explicit Storm(std::uint32_t seed) : random_(seed), rig_(3, small_and_twitchy(), seed) {
    rig_.add_ranks(3);
    states_.assign(6, ReplicaState::kUp);
  }

  void step() {
    rig_.clock.advance(std::chrono::milliseconds(below(3000)));
    switch (below(12)) {
      case 0:
        change_a_state();
        break;
      case 1:
        scrape();
        break;
      case 2:
        rig_.router.on_tick(rig_.now());
        break;
      case 3:
        give_up_before_dispatch();
        break;
      case 4:
        add_or_remove();
        break;
      case 5:
        change_settings();
        break;
      case 6:
        rig_.router.forget(key_of("s" + std::to_string(below(kSessions))));
        break;
      case 7:
      case 8:
      case 9:
        end_one();
        break;
      default:
        request();
        break;
    }
    check();
  }

  void end_all() {
    while (!open_.empty()) end_one();
    check();
  }

  const std::vector<std::string>& log() const { return log_; }
  std::uint64_t dispatched() const { return dispatched_; }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  RequestFacts random_facts() {
    const std::string session = "s" + std::to_string(below(kSessions));
    RequestFacts facts =
        below(4) == 0 ? subagent_of(session, "a" + std::to_string(below(3))) : turn_of(session);
    if (below(8) == 0) facts.kind = RequestKind::kSide;
    if (below(12) == 0) facts.kind = RequestKind::kUnbindable;
    facts.rank_blind = below(6) == 0;
    facts.prefer_home = below(2) == 0;
    facts.tools = below(3);
    facts.fork = below(5) == 0;
    facts.body_bytes = below(200'000);
    if (below(6) == 0) {
      facts.conversation.reset();
      std::vector<ChainHash> chain;
      for (ChainHash i = 0; i <= below(6); ++i) chain.push_back(below(3) * 10 + i);
      rig_.router.identify_by_content(facts, chain, "tenant", "model", rig_.now());
    }
    if (facts.conversation) facts.hashes = shown_as(*facts.conversation);
    return facts;
  }

  static ConversationHashes shown_as(const ConversationKey& key) {
    return {sip_hash({1, 1}, key.session), sip_hash({2, 2}, PackedKey(key).bytes())};
  }

  void request() {
    ++started_;
    const Decision decision = rig_.ask(random_facts());
    if (std::holds_alternative<Refused>(decision)) {
      log_.push_back("refused");
      for (const ReplicaState state : states_) ASSERT_NE(state, ReplicaState::kUp);
      ++ended_;
      return;
    }
    took(std::get<Dispatch>(decision));
  }

  void took(const Dispatch& dispatch) {
    ++dispatched_;
    open_.push_back(dispatch);
    log_.push_back(std::string(outcome_name(dispatch.outcome)) + " " +
                   std::string(reason_name(dispatch.reason)) + " " +
                   std::to_string(dispatch.replica.value_or(99)));
    if (!dispatch.replica) return;
    // Nothing goes to a replica that is down or gone; a draining one serves only its own, and only
    // alone.
    const ReplicaState state = states_.at(*dispatch.replica);
    EXPECT_NE(state, ReplicaState::kDown);
    const bool any_up =
        std::find(states_.begin(), states_.end(), ReplicaState::kUp) != states_.end();
    EXPECT_FALSE(state == ReplicaState::kDraining && any_up);
    if (state == ReplicaState::kSuspect && any_up) {
      EXPECT_TRUE(dispatch.outcome == Outcome::kSticky || dispatch.outcome == Outcome::kFailover ||
                  dispatch.reason == Reason::kSideRequest || dispatch.reason == Reason::kRetried ||
                  dispatch.reason == Reason::kHomeDraining)  // to its stand-in
          << log_.back();
    }
  }

  void end_one() {
    if (open_.empty()) return;
    const std::size_t which = below(static_cast<std::uint32_t>(open_.size()));
    const Dispatch dispatch = open_[which];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    switch (below(6)) {
      case 0:
        rig_.router.on_gone(dispatch.ticket, rig_.now());
        break;
      case 1:
        rig_.fail(dispatch, below(2) == 0 ? 429 : 500);
        break;
      case 2: {
        const Decision decision = rig_.router.on_not_started(dispatch.ticket, rig_.now());
        if (const auto* again = std::get_if<Dispatch>(&decision)) return took(*again);
        break;
      }
      default:
        rig_.finish(dispatch, below(100'000));
        break;
    }
    ++ended_;
  }

  void give_up_before_dispatch() {
    ++started_;
    ++ended_;
    rig_.router.count_without_dispatch(below(2) == 0 ? Outcome::kRefused : Outcome::kAbandoned);
  }

  void change_a_state() {
    const ReplicaIndex replica = below(static_cast<std::uint32_t>(states_.size()));
    if (retired_.contains(replica)) return;
    if (below(8) == 0) return rig_.router.on_restarted(replica, rig_.now());
    const auto state = static_cast<ReplicaState>(below(4));
    rig_.router.on_replica_state(replica, state, rig_.now());
    if (!removed_.contains(replica)) states_[replica] = state;
  }

  void add_or_remove() {
    if (below(4) == 0 && states_.size() < 20) {
      rig_.add_server();
      states_.push_back(ReplicaState::kUp);
    } else if (below(6) == 0) {
      const ReplicaIndex replica = below(static_cast<std::uint32_t>(states_.size()));
      if (removed_.contains(replica)) return come_back(replica);
      for (const ReplicaSnapshot& seen : rig_.router.snapshot(rig_.now()).replicas) {
        if (seen.index == replica) removed_[replica] = seen.spec;
      }
      rig_.router.remove_replica(replica, rig_.now());
      states_[replica] = ReplicaState::kDown;
    } else {
      for (const auto& [replica, spec] : removed_) {
        if (!retired_.contains(replica) && rig_.router.retire_replica(replica)) {
          retired_.insert(replica);
        }
      }
    }
  }

  void come_back(ReplicaIndex replica) {
    const ReplicaIndex index = rig_.router.add_replica(removed_.at(replica), rig_.now());
    EXPECT_FALSE(retired_.contains(index));
    if (index == states_.size()) return states_.push_back(ReplicaState::kUp);
    removed_.erase(index);
    states_[index] = ReplicaState::kUp;
  }

  void change_settings() {
    if (below(5) != 0) return;
    Settings settings = small_and_twitchy();
    settings.affinity = below(4) != 0;
    settings.policy = below(3) == 0 ? static_cast<Policy>(below(4)) : Policy::kSticky;
    rig_.router.on_config(settings, rig_.now());
  }

  void scrape() {
    const ReplicaIndex replica = below(static_cast<std::uint32_t>(states_.size()));
    if (retired_.contains(replica)) return;
    rig_.router.on_scrape(replica, {below(30), below(10), below(100) / 100.0}, rig_.now());
  }

  void check() {
    const RouterSnapshot seen = rig_.router.snapshot(rig_.now());
    std::uint64_t in_flight = seen.unranked_in_flight;
    std::uint64_t bound = 0;
    std::uint64_t resident = 0;
    for (const ReplicaSnapshot& replica : seen.replicas) {
      in_flight += replica.view.in_flight;
      bound += replica.bound;
      resident += replica.view.resident;
      ASSERT_LE(replica.view.in_flight, replica.counters.in_flight_peak);
    }
    ASSERT_EQ(in_flight, open_.size());
    ASSERT_EQ(bound, seen.bindings);
    ASSERT_LE(resident, seen.bindings);
    ASSERT_LE(seen.bindings, kMaxBindings);
    ASSERT_EQ(std::accumulate(seen.outcomes.begin(), seen.outcomes.end(), std::uint64_t{0}),
              ended_);
    ASSERT_EQ(started_ - ended_, open_.size());
    for (const SavedBinding& one : rig_.router.export_bindings(rig_.now())) {
      const ConversationHashes shown = shown_as(one.key);
      ASSERT_EQ(rig_.router.session_of_hash(shown.conversation), one.key.session);
      ASSERT_EQ(rig_.router.session_of_hash(shown.session), one.key.session);
    }
  }

  std::mt19937 random_;
  Rig rig_;
  std::vector<ReplicaState> states_;
  std::map<ReplicaIndex, ReplicaSpec> removed_;
  std::set<ReplicaIndex> retired_;
  std::vector<Dispatch> open_;
  std::uint64_t started_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t dispatched_ = 0;
  std::vector<std::string> log_;
};

TEST(RandomEvents, TheAccountsAlwaysAddUp) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    Storm storm(seed);
    for (int i = 0; i < 2500; ++i) {
      storm.step();
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    EXPECT_GT(storm.dispatched(), 200u);
    storm.end_all();
  }
}

TEST(RandomEvents, EqualSeedsAndEventsGiveEqualDecisions) {
  Storm a(3);
  Storm b(3);
  for (int i = 0; i < 1500; ++i) {
    a.step();
    b.step();
  }
  EXPECT_EQ(a.log(), b.log());
}

TEST(RandomEvents, WhenNothingIsWrongEveryLaterTurnIsSticky) {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    Rig rig(4, {}, seed);
    std::map<std::string, ReplicaIndex> homes;
    std::vector<Dispatch> open;
    for (int i = 0; i < 1500; ++i) {
      rig.pass(std::chrono::milliseconds(random() % 500));
      const std::string session = "s" + std::to_string(random() % 60);
      const Dispatch sent = rig.send(turn_of(session));
      const auto [home, is_new] = homes.try_emplace(session, *sent.replica);
      ASSERT_EQ(sent.outcome, is_new ? Outcome::kPlaced : Outcome::kSticky);
      ASSERT_EQ(*sent.replica, home->second);
      open.push_back(sent);
      if (open.size() > 8) {  // never past the threshold of 8, even all at one replica
        const std::size_t which = random() % open.size();
        rig.finish(open[which], 1000 + random() % 50'000);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
  }
}

}  // namespace
}  // namespace berth::routing
