#include "engine/presets.h"

#include <gtest/gtest.h>

#include "engine/request_for_test.h"

namespace berth::engine {
namespace {

// Seconds to the first and to the last token of a prompt, behind `cached` tokens that another
// request of the same stream left in the cache.
std::pair<double, double> times(const char* preset, std::uint32_t cached, std::uint32_t prompt,
                                std::uint32_t output) {
  const ServerSpec spec = find_preset(preset)->spec;
  const auto server = make_server(spec);
  std::vector<Event> events;
  Instant now{};
  const auto run = [&](EngineRequest request) {
    EXPECT_TRUE(server->submit(std::move(request), now));
    while (const auto next = server->next_event()) server->advance(now = *next, events);
  };
  if (cached > 0) run(stream_request(1, 1, cached, 1, spec.block_size));
  const Instant sent = now;
  events.clear();
  run(stream_request(2, 1, prompt, output, spec.block_size));
  EXPECT_EQ(events.back().cached_tokens, cached);
  return {to_seconds(events[0].at - sent), to_seconds(events.back().at - sent)};
}

TEST(Presets, AreSoundAndNamed) {
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(check_spec(preset.spec)) << preset.name;
    EXPECT_EQ(find_preset(preset.name), &preset);
  }
  EXPECT_EQ(find_preset("nothing"), nullptr);
  EXPECT_EQ(presets().front().name, "a4000-qwen3-4b");
}

// The numbers that presets.h works out.
TEST(Presets, TheA4000) {
  const auto [first, last] = times("a4000-qwen3-4b", 3'520, 3'520 + 7'300, 2);
  EXPECT_NEAR(first, 2.33, 0.01);
  EXPECT_NEAR(last - first, 0.0280, 0.0001);
}

TEST(Presets, TheH100) {
  EXPECT_NEAR(times("h100-30b-a3b", 0, 100'000, 1).first, 8.0, 0.01);
  const StepTime step = find_preset("h100-30b-a3b")->spec.step;
  StepLoad load;
  for (int i = 0; i < 7; ++i) load.add_decode(90'000);
  EXPECT_NEAR(step.seconds(load), 0.0376, 0.0001);
}

TEST(Presets, TheRtx5090) { EXPECT_NEAR(times("rtx5090-27b", 0, 43'500, 1).first, 21.6, 0.1); }

}  // namespace
}  // namespace berth::engine
