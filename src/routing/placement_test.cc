// Placement: balance, and how many homes are found again when the table is lost.
#include "routing/placement.h"

#include <algorithm>
#include <map>
#include <random>

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

std::vector<std::string> sessions(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("session-" + std::to_string(i));
  return names;
}

std::uint32_t spread(Rig& rig) {
  std::uint32_t least = ~0U;
  std::uint32_t most = 0;
  for (const ReplicaSnapshot& replica : rig.router.snapshot(rig.now()).replicas) {
    least = std::min(least, replica.view.resident);
    most = std::max(most, replica.view.resident);
  }
  return most - least;
}

std::map<std::string, ReplicaIndex> place_all(Rig& rig, const std::vector<std::string>& names) {
  std::map<std::string, ReplicaIndex> homes;
  for (const std::string& name : names) {
    homes[name] = *rig.turn(turn_of(name)).replica;
    rig.clock.advance(std::chrono::milliseconds(50));
  }
  return homes;
}

TEST(Placement, AHundredPacedConversationsDifferByAtMostTwo) {
  for (const std::size_t replicas : {2u, 3u, 4u, 7u, 8u}) {
    Rig rig(replicas);
    for (const std::string& name : sessions(100)) {
      rig.turn(turn_of(name));
      ASSERT_LE(spread(rig), 2u) << replicas << " replicas, " << name;
    }
  }
}

TEST(Placement, FewestInFlightComesFirst) {
  Rig rig(2);
  const ReplicaIndex first = *rig.send(turn_of("a")).replica;
  for (int i = 0; i < 6; ++i) {
    // The other replica gathers residents, but nothing is in flight there.
    EXPECT_NE(*rig.turn(turn_of("b" + std::to_string(i))).replica, first);
  }
}

TEST(Placement, FewerResidentTokensDecideWhereCountsAreClose) {
  Rig rig(2);
  const ReplicaIndex heavy = *rig.turn(turn_of("heavy"), 200'000).replica;
  rig.turn(turn_of("light"), 5'000);
  // One each. With the slack of one either could take the next; the tokens say which.
  for (const char* name : {"x", "y", "z", "w"}) {
    Rig again(2);
    const ReplicaIndex home = *again.turn(turn_of("heavy"), 200'000).replica;
    again.turn(turn_of("light"), 2'000);
    again.turn(turn_of("light2"), 2'000);
    EXPECT_NE(*again.turn(turn_of(name), 2'000).replica, home) << name;
  }
  EXPECT_EQ(rig.home_of("heavy"), heavy);
}

TEST(Placement, KvUsageDecidesWhenItDiffersMuchAndNoiseDoesNot) {
  for (const auto& [usage, avoided] : {std::pair(0.9, true), std::pair(0.1, false)}) {
    int there = 0;
    for (int i = 0; i < 20; ++i) {
      Rig rig(2);
      rig.clock.advance(std::chrono::seconds(1));
      rig.router.on_scrape(0, {3, 0, usage}, rig.now());
      rig.router.on_scrape(1, {0, 0, 0.0}, rig.now());
      there += *rig.turn(turn_of("s" + std::to_string(i))).replica == 0 ? 1 : 0;
    }
    EXPECT_EQ(there == 0, avoided) << usage;
  }
}

TEST(Placement, AScrapeOlderThanTheEndOfOurLastRequestDoesNotCount) {
  Rig rig(2);
  const Dispatch open = rig.send(turn_of("a"));
  rig.clock.advance(std::chrono::seconds(1));
  rig.router.on_scrape(*open.replica, {1, 0, 0.9}, rig.now());
  rig.finish(open);
  rig.turn(turn_of("b"));
  int at_first = 0;
  for (const std::string& name : sessions(20)) {
    at_first += *rig.turn(turn_of(name)).replica == *open.replica ? 1 : 0;
  }
  EXPECT_GE(at_first, 9);
}

TEST(Placement, ALargerCacheTakesMoreConversations) {
  Rig rig(0);
  rig.add_server(400'000);
  rig.add_server(100'000);
  for (const std::string& name : sessions(50)) rig.turn(turn_of(name));
  const std::uint32_t large = rig.replica(0).view.resident;
  EXPECT_GE(large, 38u);
  EXPECT_LE(large, 42u);
}

TEST(Placement, ConversationsIdleForTheWindowNoLongerCount) {
  Rig rig(2);
  for (const std::string& name : sessions(10)) rig.turn(turn_of(name));
  rig.pass(std::chrono::minutes(9));
  EXPECT_EQ(rig.replica(0).view.resident + rig.replica(1).view.resident, 10u);
  rig.pass(std::chrono::minutes(2));
  EXPECT_EQ(rig.replica(0).view.resident + rig.replica(1).view.resident, 0u);
  EXPECT_EQ(rig.replica(0).view.resident_tokens, 0u);
  EXPECT_EQ(rig.replica(0).bound + rig.replica(1).bound, 10u);
}

// The share of conversations that find their old home after the table is lost.
double found_again(int conversations, std::size_t replicas, std::uint32_t seed) {
  std::vector<std::string> names = sessions(conversations);
  std::mt19937 random(seed);
  std::shuffle(names.begin(), names.end(), random);
  Rig before(replicas);
  const auto old_homes = place_all(before, names);
  std::shuffle(names.begin(), names.end(), random);
  Rig after(replicas, {}, 99);  // another process, another seed
  const auto new_homes = place_all(after, names);
  int same = 0;
  for (const auto& [name, home] : old_homes) same += new_homes.at(name) == home ? 1 : 0;
  return static_cast<double>(same) / conversations;
}

TEST(Placement, MostConversationsFindTheirOldHomeWhenTheTableIsLost) {
  double hundred = 0;
  double four_hundred = 0;
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    hundred += found_again(100, 4, seed) / 5;
    four_hundred += found_again(400, 4, seed) / 5;
  }
  RecordProperty("found_again_100_on_4", std::to_string(hundred));
  RecordProperty("found_again_400_on_4", std::to_string(four_hundred));
  EXPECT_GT(hundred, 0.55);
  EXPECT_GT(four_hundred, 0.74);
}

TEST(Placement, IsTheSameInEveryProcess) {
  Rig a(4, {}, 1);
  Rig b(4, {}, 2);
  EXPECT_EQ(place_all(a, sessions(60)), place_all(b, sessions(60)));
}

}  // namespace
}  // namespace berth::routing
