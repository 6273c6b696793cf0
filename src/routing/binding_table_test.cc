#include "routing/binding_table.h"

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Table : public ::testing::Test {
 protected:
  Table() {
    replicas.add({{0, std::nullopt}, "a", 0}, now);
    replicas.add({{1, std::nullopt}, "b", 0}, now);
  }

  Binding* insert(const std::string& session, ReplicaIndex home = 0) {
    now += seconds(1);
    Binding* binding = table.insert(PackedKey(key_of(session)), {}, home, now);
    if (binding != nullptr) {
      binding->turns = 1;
      binding->tokens = 100;
      table.settle(*binding, now);
    }
    return binding;
  }

  Binding* find(const std::string& session) { return table.find(PackedKey(key_of(session)), now); }

  void use(const std::string& session, std::uint32_t active) {
    now += seconds(1);
    Binding* binding = find(session);
    binding->active = active;
    binding->last_used = now;
    table.settle(*binding, now);
  }

  Instant now{seconds(1000)};
  ReplicaSet replicas;
  BindingTable table{replicas, {3, minutes(60), minutes(10)}, 1};
};

TEST_F(Table, AFullTableForgetsTheLongestIdle) {
  insert("a");
  insert("b");
  insert("c");
  use("a", 0);
  insert("d");
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(find("b"), nullptr);
  EXPECT_NE(find("a"), nullptr);
}

TEST_F(Table, ActiveEntriesAreNeverEvictedHoweverOld) {
  insert("a");
  insert("b");
  insert("c");
  use("a", 1);
  use("b", 1);
  use("c", 0);
  ASSERT_NE(insert("d"), nullptr);
  EXPECT_EQ(find("c"), nullptr);
  use("d", 1);
  EXPECT_EQ(insert("e"), nullptr);
  use("a", 0);
  EXPECT_NE(insert("e"), nullptr);
  EXPECT_EQ(find("a"), nullptr);
}

TEST_F(Table, IdleOnesGoBeforeResidentOnes) {
  insert("old");
  now += minutes(11);
  table.expire(now, 10);
  insert("young");
  insert("younger");
  insert("youngest");
  EXPECT_EQ(find("old"), nullptr);
  EXPECT_NE(find("young"), nullptr);
}

TEST_F(Table, CountsFollowEveryChange) {
  Binding* binding = insert("a", 0);
  EXPECT_EQ(replicas[0].resident, 1u);
  EXPECT_EQ(replicas[0].resident_tokens, 100u);
  EXPECT_EQ(replicas[0].bound, 1u);
  binding->home = 1;
  binding->tokens = 250;
  table.settle(*binding, now);
  EXPECT_EQ(replicas[0].resident + replicas[0].bound + replicas[0].resident_tokens, 0u);
  EXPECT_EQ(replicas[1].resident_tokens, 250u);
  binding->stand_in = 0;
  table.settle(*binding, now);
  EXPECT_EQ(replicas[0].resident_tokens, 250u);
  EXPECT_EQ(replicas[1].bound, 1u);
  table.erase(*binding);
  for (ReplicaIndex i = 0; i < 2; ++i) {
    EXPECT_EQ(replicas[i].resident + replicas[i].bound + replicas[i].resident_tokens, 0u);
  }
}

TEST_F(Table, ResidentsLapseAndComeBack) {
  insert("a");
  now += minutes(10);
  table.expire(now, 10);
  EXPECT_EQ(replicas[0].resident, 0u);
  EXPECT_EQ(replicas[0].bound, 1u);
  use("a", 1);
  EXPECT_EQ(replicas[0].resident, 1u);
  now += minutes(30);
  table.expire(now, 10);
  EXPECT_EQ(replicas[0].resident, 1u) << "an open request keeps it resident";
}

TEST_F(Table, OneCallOfExpireDoesABoundedNumberOfSteps) {
  insert("a");
  insert("b");
  insert("c");
  now += minutes(61);
  table.expire(now, 2);
  EXPECT_EQ(table.size(), 2u) << "one of them lapsed and was erased";
  table.expire(now, 100);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(Table, ASmallerCapacityTakesEffectStepByStep) {
  insert("a");
  insert("b");
  insert("c");
  table.set_limits({1, minutes(60), minutes(10)});
  table.expire(now, 1);
  EXPECT_EQ(table.size(), 2u);
  table.expire(now, 10);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_NE(find("c"), nullptr);
}

TEST_F(Table, TellsOfEveryErasure) {
  std::vector<std::string> gone;
  table.on_erase(
      [&](const Binding& binding) { gone.push_back(std::string(binding.key.session())); });
  insert("a");
  insert("b");
  insert("c");
  insert("d");
  now += minutes(61);
  find("b");
  table.expire(now, 100);
  EXPECT_EQ(gone, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(Table, FindsASessionWholeAndInOrder) {
  table.insert(PackedKey(key_of("s", "b")), {}, 0, now);
  table.insert(PackedKey(key_of("s")), {}, 0, now);
  table.insert(PackedKey(key_of("s2")), {}, 0, now);
  const auto found = table.of_session("s");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->key.agent(), "");
  EXPECT_EQ(found[1]->key.agent(), "b");
}

TEST_F(Table, FindsOneByTheHashesItIsShownAs) {
  table.insert(PackedKey(key_of("s")), {7, 71}, 0, now);
  table.insert(PackedKey(key_of("s", "b")), {7, 72}, 0, now);
  table.insert(PackedKey(key_of("nameless")), {}, 0, now);
  ASSERT_NE(table.find_by_hash(72), nullptr);
  EXPECT_EQ(table.find_by_hash(72)->key.agent(), "b");
  ASSERT_NE(table.find_by_hash(7), nullptr);
  EXPECT_EQ(table.find_by_hash(7)->key.session(), "s");
  EXPECT_EQ(table.find_by_hash(73), nullptr);
  EXPECT_EQ(table.find_by_hash(0), nullptr) << "no hash is not a hash";
  table.erase(*table.find(PackedKey(key_of("s", "b"))));
  EXPECT_EQ(table.find_by_hash(72), nullptr);
  EXPECT_NE(table.find_by_hash(7), nullptr);
}

TEST(TableFull, OnlyWhenEveryEntryIsActiveIsANewConversationUnbound) {
  Settings settings;
  settings.max_bindings = 2;
  Rig rig(4, settings);
  const Dispatch a = rig.send(turn_of("a"));
  const Dispatch b = rig.send(turn_of("b"));
  const Dispatch c = rig.send(turn_of("c"));
  EXPECT_TRUE(went(c, Outcome::kUnbound, Reason::kTableFull));
  const Dispatch again = rig.send(turn_of("c"));
  EXPECT_EQ(again.replica, c.replica) << "the hash sends it to the same replica again";
  rig.finish(a);
  EXPECT_EQ(rig.send(turn_of("c")).outcome, Outcome::kPlaced);
  rig.finish(b);
  EXPECT_EQ(rig.router.snapshot(rig.now()).bindings, 2u);
}

TEST(TableFull, UntrustedIdsPushOutOnlyIdleOnes) {
  Settings settings;
  settings.max_bindings = 50;
  Rig rig(4, settings);
  const Dispatch working = rig.send(turn_of("working"));
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(rig.turn(turn_of("flood" + std::to_string(i))).outcome, Outcome::kPlaced);
    ASSERT_LE(rig.router.snapshot(rig.now()).bindings, 50u);
  }
  rig.finish(working);
  EXPECT_EQ(rig.turn(turn_of("working")).outcome, Outcome::kSticky);
}

}  // namespace
}  // namespace berth::routing
