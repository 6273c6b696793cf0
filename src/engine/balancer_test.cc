#include "engine/balancer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant at(Duration since_start) { return Instant(seconds(1'000) + since_start); }

std::vector<RankLoad> idle(std::size_t ranks) { return std::vector<RankLoad>(ranks); }

std::vector<std::uint32_t> choose_many(RankBalancer& balancer, std::uint32_t process, int times) {
  std::vector<std::uint32_t> chosen;
  for (int i = 0; i < times; ++i) chosen.push_back(balancer.choose(process));
  return chosen;
}

using Ranks = std::vector<std::uint32_t>;

TEST(BalancerName, RoundTrips) {
  for (const char* name : {"off", "off-published", "off-rotating", "off-2026"}) {
    const auto kind = balancer_from_name(name);
    ASSERT_TRUE(kind.has_value()) << name;
    EXPECT_EQ(balancer_name(*kind), name);
  }
  EXPECT_FALSE(balancer_from_name("on").has_value());
}

TEST(OffBalancer, DealsTheRanksOutInOrderAndSeesNoLoad) {
  const auto balancer = make_off_balancer(4, 1);
  balancer->observe(idle(4), at(seconds(0)));
  // Rank 0 is drowning; nobody tells.
  std::vector<RankLoad> loads = idle(4);
  loads[0] = {.waiting = 50, .running = 32, .kv_usage = 1};
  balancer->observe(loads, at(seconds(1)));
  EXPECT_EQ(choose_many(*balancer, 0, 6), (Ranks{0, 1, 2, 3, 0, 1}));
}

TEST(OffBalancer, HeartbeatZeroesTheLocalCountsEveryFiveSeconds) {
  const auto balancer = make_off_balancer(4, 1);
  balancer->observe(idle(4), at(seconds(0)));
  EXPECT_EQ(choose_many(*balancer, 0, 2), (Ranks{0, 1}));
  balancer->observe(idle(4), at(milliseconds(4'999)));
  EXPECT_EQ(balancer->choose(0), 2u);
  balancer->observe(idle(4), at(milliseconds(5'000)));
  EXPECT_EQ(balancer->choose(0), 0u);
  // The next one is due at 10 s, not 5 s after the last look.
  balancer->observe(idle(4), at(milliseconds(9'999)));
  EXPECT_EQ(balancer->choose(0), 1u);
  balancer->observe(idle(4), at(milliseconds(10'001)));
  EXPECT_EQ(balancer->choose(0), 0u);
}

TEST(OffBalancer, EveryApiProcessHasItsOwnCountsAndStart) {
  const auto balancer = make_off_balancer(4, 4);
  balancer->observe(idle(4), at(seconds(0)));
  EXPECT_EQ(balancer->choose(0), 0u);
  EXPECT_EQ(balancer->choose(1), 1u);
  EXPECT_EQ(balancer->choose(3), 3u);
  // Process 0 knows nothing of what the others did.
  EXPECT_EQ(choose_many(*balancer, 0, 3), (Ranks{1, 2, 3}));
}

TEST(OffBalancer, StartsAreSpreadWhenProcessesAreFewerThanRanks) {
  const auto balancer = make_off_balancer(4, 2);
  balancer->observe(idle(4), at(seconds(0)));
  EXPECT_EQ(balancer->choose(0), 0u);
  EXPECT_EQ(balancer->choose(1), 2u);
}

TEST(PublishedBalancer, WaitingWeighsFourRunning) {
  const auto balancer = make_published_balancer(2, 1);
  balancer->observe(idle(2), at(seconds(0)));
  balancer->observe(
      std::vector<RankLoad>{{.waiting = 1, .running = 0}, {.waiting = 0, .running = 3}},
      at(milliseconds(100)));
  EXPECT_EQ(balancer->choose(0), 1u);  // 3 < 4
  balancer->observe(
      std::vector<RankLoad>{{.waiting = 1, .running = 0}, {.waiting = 0, .running = 5}},
      at(milliseconds(200)));
  EXPECT_EQ(balancer->choose(0), 0u);  // 4 < 5
}

TEST(PublishedBalancer, ASnapshotComesEvery100MsOnlyIfCountsChanged) {
  const auto balancer = make_published_balancer(2, 1);
  balancer->observe(idle(2), at(seconds(0)));
  const std::vector<RankLoad> loads{{.waiting = 0, .running = 2}, {.waiting = 0, .running = 0}};
  balancer->observe(loads, at(milliseconds(99)));
  EXPECT_EQ(balancer->choose(0), 0u);  // not published yet: a tie, the first wins
  balancer->observe(loads, at(milliseconds(100)));
  EXPECT_EQ(balancer->choose(0), 1u);
  // Local bumps stay while nothing changes ...
  balancer->observe(loads, at(milliseconds(200)));
  EXPECT_EQ(balancer->choose(0), 0u);  // 2 against the bumped 4
  // ... and are overwritten by a change.
  const std::vector<RankLoad> later{{.waiting = 0, .running = 3}, {.waiting = 0, .running = 1}};
  balancer->observe(later, at(milliseconds(300)));
  EXPECT_EQ(balancer->choose(0), 1u);
}

TEST(PublishedBalancer, ScanStartIsFixed) {
  const auto balancer = make_published_balancer(4, 1);
  balancer->observe(idle(4), at(seconds(0)));
  for (int step = 1; step <= 3; ++step) {
    // A fresh snapshot before each choice: every choice is a tie and goes to the same rank.
    std::vector<RankLoad> loads(
        4, RankLoad{.waiting = 0, .running = static_cast<std::uint32_t>(step)});
    balancer->observe(loads, at(milliseconds(100 * step)));
    EXPECT_EQ(balancer->choose(0), 0u);
  }
}

TEST(RotatingBalancer, TiesRotate) {
  const auto balancer = make_rotating_balancer(4, 1);
  balancer->observe(idle(4), at(seconds(0)));
  Ranks chosen;
  for (int step = 1; step <= 5; ++step) {
    std::vector<RankLoad> loads(
        4, RankLoad{.waiting = 0, .running = static_cast<std::uint32_t>(step)});
    balancer->observe(loads, at(milliseconds(100 * step)));
    chosen.push_back(balancer->choose(0));
  }
  EXPECT_EQ(chosen, (Ranks{0, 1, 2, 3, 0}));
}

TEST(Balancer2026, OwnInFlightCountsBeforeAnySnapshot) {
  const auto balancer = make_2026_balancer(3, 1);
  balancer->observe(idle(3), at(seconds(0)));
  balancer->started(0, 0);
  balancer->started(0, 1);
  EXPECT_EQ(balancer->choose(0), 2u);
  balancer->started(0, 2);
  balancer->ended(0, 1);
  balancer->observe(std::vector<RankLoad>(3, RankLoad{.waiting = 0, .running = 0}), at(seconds(5)));
  EXPECT_EQ(balancer->choose(0), 1u);
}

TEST(Balancer2026, AFullCacheWithAQueueIsPenalised) {
  const auto balancer = make_2026_balancer(2, 1);
  balancer->observe(idle(2), at(seconds(0)));
  // Rank 0: 2 waiting at 100 %: 2 + 2 * 6 * 0.5 = 8. Rank 1: 4 waiting and 3 running at 50 %: 7.
  const std::vector<RankLoad> loads{{.waiting = 2, .running = 0, .kv_usage = 1.0},
                                    {.waiting = 4, .running = 3, .kv_usage = 0.5}};
  balancer->observe(loads, at(milliseconds(100)));
  EXPECT_EQ(balancer->choose(0), 1u);
}

TEST(Balancer2026, AFullCacheWithoutAQueueIsNot) {
  const auto balancer = make_2026_balancer(2, 1);
  balancer->observe(idle(2), at(seconds(0)));
  const std::vector<RankLoad> loads{{.waiting = 0, .running = 2, .kv_usage = 1.0},
                                    {.waiting = 0, .running = 3, .kv_usage = 0.1}};
  balancer->observe(loads, at(milliseconds(100)));
  EXPECT_EQ(balancer->choose(0), 0u);
}

}  // namespace
}  // namespace berth::engine
