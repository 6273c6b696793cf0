#include "sim/world.h"

#include <gtest/gtest.h>

#include "engine/presets.h"
#include "sim/agent_sessions.h"

namespace berth::sim {
namespace {

WorldSettings small_world() {
  WorldSettings settings;
  settings.fleet.replica = engine::find_preset("a4000-qwen3-4b")->spec;
  return settings;
}

WindowResult run(const WorldSettings& settings, const Workload& workload, std::string_view policy,
                 std::uint32_t clients, int minutes, std::uint64_t seed = 1) {
  World world(settings, workload, **find_policy(policy), seed);
  world.set_clients(clients);
  world.open_window();
  world.run_for(std::chrono::minutes(minutes));
  return world.close_window();
}

TEST(World, AWarmFleetServesFourSessionsAsTheArithmeticSays) {
  const AgentSessions workload({});
  const Measures m = run(small_world(), workload, "on", 4, 10).measures;
  // A session on its own replica: 2.4 s for the first turn, some 0.3 s for later ones, and 256
  // tokens at 24 to 29 ms.
  EXPECT_NEAR(m.output_tokens_per_min, 7'450, 300);
  EXPECT_NEAR(m.ttfb_p50_s, 0.33, 0.05);
  EXPECT_NEAR(m.ttfb_p95_s, 2.57, 0.2);
  EXPECT_NEAR(m.prefix_hit_ratio, 0.87, 0.02);
  EXPECT_DOUBLE_EQ(m.stayed_ratio, 1);
  EXPECT_NEAR(m.sessions_per_hour, m.turns_per_min * 10, m.turns_per_min * 0.6);
}

}  // namespace
}  // namespace berth::sim
