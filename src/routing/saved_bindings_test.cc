// A restart: bindings go out and come back, and later turns are still sticky.
#include <map>

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(SavedBindings, LaterTurnsAreStickyAfterARestart) {
  Rig before(4);
  std::vector<ReplicaIndex> homes;
  for (int i = 0; i < 20; ++i) {
    homes.push_back(*before.turn(turn_of("s" + std::to_string(i)), 5'000).replica);
  }
  before.pass(std::chrono::minutes(3));
  const std::vector<SavedBinding> saved = before.router.export_bindings(before.now());
  ASSERT_EQ(saved.size(), 20u);
  EXPECT_EQ(saved.front().turns, 1u);
  EXPECT_EQ(saved.front().idle, std::chrono::minutes(3));
  EXPECT_EQ(saved.front().tokens, 5'200u);

  Rig after(4, {}, 77);
  EXPECT_EQ(after.router.import_bindings(saved, after.now()), 20u);
  for (int i = 0; i < 20; ++i) {
    const Dispatch next = after.turn(turn_of("s" + std::to_string(i)));
    EXPECT_TRUE(went(next, Outcome::kSticky, Reason::kHome));
    EXPECT_EQ(*next.replica, homes[static_cast<std::size_t>(i)]);
  }
}

TEST(SavedBindings, TheirResidentsCountAtOnce) {
  Rig before(2);
  before.turn(turn_of("s"), 9'000);
  Rig after(2);
  after.router.import_bindings(before.router.export_bindings(before.now()), after.now());
  const ReplicaIndex home = after.home_of("s");
  EXPECT_EQ(after.replica(home).view.resident, 1u);
  EXPECT_EQ(after.replica(home).view.resident_tokens, 9'200u);
  EXPECT_NE(*after.turn(turn_of("new")).replica, home);
}

TEST(SavedBindings, ContentIdentifiedConversationsGoOn) {
  Rig before(4);
  RequestFacts first;
  before.router.identify_by_content(first, {1, 2, 3}, "tenant", "model", before.now());
  const ReplicaIndex home = *before.turn(first).replica;
  const auto saved = before.router.export_bindings(before.now());
  ASSERT_TRUE(saved.at(0).chain_end);

  Rig after(4, {}, 9);
  ASSERT_EQ(after.router.import_bindings(saved, after.now()), 1u);
  RequestFacts next;
  after.router.identify_by_content(next, {1, 2, 3, 4, 5}, "tenant", "model", after.now());
  const Dispatch sent = after.turn(next);
  EXPECT_TRUE(went(sent, Outcome::kSticky, Reason::kHome));
  EXPECT_EQ(*sent.replica, home);
}

TEST(SavedBindings, BindingsOfReplicasThatAreNotHereAreLeftOut) {
  Rig before(4);
  for (int i = 0; i < 8; ++i) before.turn(turn_of("s" + std::to_string(i)));
  const auto saved = before.router.export_bindings(before.now());
  Rig after(2);
  const std::size_t taken = after.router.import_bindings(saved, after.now());
  EXPECT_EQ(taken, 4u);
  after.add_server();
  after.add_server();
  EXPECT_EQ(after.router.import_bindings(saved, after.now()), 4u) << "the rest, once it is here";
}

TEST(SavedBindings, WhatIsTooOldKnownOrTooMuchIsLeftOut) {
  Rig before(2);
  for (int i = 0; i < 4; ++i) before.turn(turn_of("s" + std::to_string(i)));
  auto saved = before.router.export_bindings(before.now());
  saved[0].idle = std::chrono::hours(2);
  Settings settings;
  settings.max_bindings = 2;
  Rig after(2, settings);
  EXPECT_EQ(after.router.import_bindings(saved, after.now()), 2u);
  EXPECT_EQ(after.router.import_bindings(saved, after.now()), 0u);
  EXPECT_EQ(after.router.snapshot(after.now()).bindings, 2u);
}

TEST(SavedBindings, OfTooManyTheMostRecentlyUsedComeBack) {
  Rig before(2);
  for (int i = 0; i < 6; ++i) {
    before.turn(turn_of("s" + std::to_string(i)));
    before.pass(std::chrono::seconds(10));
  }
  Settings settings;
  settings.max_bindings = 2;
  Rig after(2, settings);
  after.router.import_bindings(before.router.export_bindings(before.now()), after.now());
  EXPECT_EQ(after.router.explain("s5", after.now()).size(), 1u);
  EXPECT_EQ(after.router.explain("s4", after.now()).size(), 1u);
  EXPECT_EQ(after.router.explain("s3", after.now()).size(), 0u);
}

TEST(SavedBindings, InPartsEveryBindingThatStaysIsSeenOnce) {
  Rig rig(4);
  for (int i = 0; i < 3000; ++i) rig.turn(turn_of("stays" + std::to_string(i)));
  std::map<std::string, int> seen;
  std::size_t position = 0;
  int parts = 0;
  do {
    std::vector<SavedBinding> part;
    position = rig.router.export_part(position, part, rig.now());
    EXPECT_LE(part.size(), 1100u);
    for (const SavedBinding& one : part) ++seen[one.key.session];
    // Life goes on between two parts.
    for (int i = 0; i < 20; ++i) {
      rig.turn(turn_of("stays" + std::to_string(parts * 37 + i)));
      rig.turn(turn_of("new" + std::to_string(parts * 20 + i)));
      rig.router.forget(key_of("new" + std::to_string(parts * 10 + i)));
    }
    ++parts;
  } while (position != 0);
  EXPECT_GT(parts, 3);
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "stays" + std::to_string(i);
    ASSERT_EQ(seen[name], 1) << name;
  }
}

TEST(SavedBindings, IdleTimeGoesOnAcrossTheRestart) {
  Rig before(2);
  before.turn(turn_of("s"));
  before.pass(std::chrono::minutes(40));
  Rig after(2);
  after.router.import_bindings(before.router.export_bindings(before.now()), after.now());
  EXPECT_EQ(after.replica(after.home_of("s")).view.resident, 0u);
  after.pass(std::chrono::minutes(21));
  EXPECT_EQ(after.router.snapshot(after.now()).bindings, 0u);
}

TEST(SavedBindings, AConversationKeepsTheTimeItHasHadItsHome) {
  Rig before(2);
  before.turn(turn_of("s"));
  before.pass(std::chrono::minutes(20));
  before.turn(turn_of("s"));
  before.pass(std::chrono::minutes(3));
  const std::vector<SavedBinding> saved = before.router.export_bindings(before.now());
  ASSERT_EQ(saved.size(), 1u);
  Rig after(2);
  after.pass(std::chrono::hours(2));
  after.router.import_bindings(saved, after.now());
  const std::vector<Explanation> why = after.router.explain("s", after.now());
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(after.now() - why[0].last_used, saved[0].idle);
  EXPECT_EQ(after.now() - why[0].bound_at, saved[0].idle + saved[0].kept);
  EXPECT_GE(saved[0].kept, std::chrono::minutes(20));
}

}  // namespace
}  // namespace berth::routing
