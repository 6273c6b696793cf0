// What every policy of the list must keep, whatever happens in whatever order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/policy_test_rig.h"
#include "sim/random.h"

namespace berth::sim {
namespace {

constexpr std::uint32_t kReplicas = 5;

class EveryPolicy : public ::testing::TestWithParam<std::string> {};

// One random life of a policy; returns all it answered.
std::string live(const std::string& name, std::uint64_t seed) {
  Random random(seed);
  PolicyRig rig(name, {.replicas = kReplicas, .max_num_seqs = 4, .seed = seed});
  std::vector<bool> up(kReplicas, true);
  std::string answers;
  const auto check = [&](PolicyRig::Where where) {
    answers += where ? std::to_string(*where) : rig.was_held() ? "h" : "r";
    if (where) {
      EXPECT_TRUE(up[*where]) << name << " names replica " << *where << ", which is down";
    }
  };
  for (int step = 0; step < 4'000; ++step) {
    const double dice = random.unit();
    if (dice < 0.02) {
      const auto i = static_cast<routing::ReplicaIndex>(random.below(kReplicas));
      up[i] = !up[i];
      if (up[i]) {
        rig.back(i);
      } else {
        const auto open = rig.open();
        rig.lose(i);
        for (const auto& [id, where] : open) {
          if (where == i) rig.gone(id);
        }
      }
    } else if (dice < 0.04) {
      rig.pass(std::chrono::seconds(random.below(200)));
    } else if (dice < 0.5 && !rig.open().empty()) {
      const auto which = static_cast<std::ptrdiff_t>(random.below(rig.open().size()));
      rig.finish(std::next(rig.open().begin(), which)->first);
    } else if (dice < 0.9) {
      check(rig.session("session-" + std::to_string(random.below(20)),
                        random.chance(0.2) ? "agent" : ""));
    } else {
      check(rig.text(std::string(1 + random.below(12), static_cast<char>('a' + random.below(8)))));
    }
    for (const auto& [id, where] : rig.released()) {
      answers += std::to_string(where);
      EXPECT_TRUE(up[where]) << name << " lets a request go to replica " << where
                             << ", which is down";
    }
  }
  return answers;
}

TEST_P(EveryPolicy, NeverNamesAReplicaThatIsDown) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) live(GetParam(), seed);
}

TEST_P(EveryPolicy, EqualSeedsAndEventsGiveEqualAnswers) {
  EXPECT_EQ(live(GetParam(), 3), live(GetParam(), 3));
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policies()) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, ::testing::ValuesIn(all_names()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace berth::sim
