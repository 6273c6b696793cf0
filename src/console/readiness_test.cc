#include "console/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/fake_source.h"

namespace berth::console {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr Instant kNow{std::chrono::hours(5)};

TEST(Readiness, NamesTheModelAndTheServer) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  for (auto& replica : fleet.models[0].replicas)
    replica.routing.state = routing::ReplicaState::kDown;
  fleet.servers[0].health = "down";
  fleet.servers[0].why = "connection refused";
  EXPECT_THAT(not_ready_reasons(fleet),
              ElementsAre("No replica of model org/qwen3-4b is up.",
                          "Server http://gpu0:8000 is down: connection refused."));
}

TEST(Readiness, SaysThatTheOperatorDrainedThemAll) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  for (auto& replica : fleet.models[0].replicas)
    replica.routing.state = routing::ReplicaState::kDraining;
  EXPECT_THAT(not_ready_reasons(fleet),
              ElementsAre("Every replica of model org/qwen3-4b is drained."));
}

TEST(Readiness, AnEmptyFleetHasNoModel) {
  EXPECT_THAT(not_ready_reasons({}), ElementsAre("No model has been found on any server yet."));
}

TEST(Readiness, AShutdownIsAReason) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.draining = true;
  EXPECT_THAT(not_ready_reasons(fleet), Contains("Berth is shutting down."));
}

TEST(Readiness, ThereIsAlwaysAReason) {
  EXPECT_EQ(not_ready_reasons(FakeSource::two_ranks(kNow).fleet).size(), 1u);
}

}  // namespace
}  // namespace berth::console
