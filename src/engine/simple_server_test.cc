#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engine/presets.h"
#include "engine/server_model.h"

namespace berth::engine {
namespace {

using ::testing::HasSubstr;

constexpr Instant kStart{std::chrono::seconds(100)};

std::vector<Token> tokens(std::uint32_t from, std::size_t count) {
  std::vector<Token> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = from + static_cast<Token>(i);
  return out;
}

std::vector<Token> join(std::vector<Token> a, const std::vector<Token>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Steps of exactly 10 ms plus 1 ms a prompt token, so that times can be worked out by hand.
ServerSpec plain_spec() {
  ServerSpec spec;
  spec.kv_tokens = 101 * 16;  // 100 usable blocks
  spec.max_num_seqs = 4;
  spec.max_num_batched_tokens = 512;
  spec.step = {.base = 0.010,
               .prefill_token = 0.001,
               .decode_seq = 0,
               .decode_context_token = 0,
               .attention = 0};
  return spec;
}

EngineRequest make(RequestId id, const std::vector<Token>& all, std::size_t output = 1,
                   std::uint64_t salt = 0) {
  EngineRequest request;
  request.id = id;
  request.prompt_tokens = static_cast<std::uint32_t>(all.size() - output);
  request.output_tokens = static_cast<std::uint32_t>(output);
  request.blocks = std::make_shared<const std::vector<BlockHash>>(hash_full_blocks(all, 16, salt));
  request.every_token = true;
  return request;
}

struct Driven {
  explicit Driven(const ServerSpec& spec) : server(make_server(spec)) {}

  std::uint32_t submit(RequestId id, std::vector<Token> prompt, std::vector<Token> output) {
    EngineRequest request = make(id, join(std::move(prompt), output), output.size());
    const auto rank = server->submit(std::move(request), now);
    EXPECT_TRUE(rank.has_value()) << rank.error().message;
    return rank.value_or(0);
  }
  void advance(Duration by) {
    now += by;
    std::vector<Event> out;
    server->advance(now, out);
    for (const Event& event : out) note(event);
  }
  void drain() {
    while (const auto next = server->next_event()) {
      now = *next;
      std::vector<Event> out;
      server->advance(now, out);
      for (const Event& event : out) note(event);
    }
  }
  void note(const Event& event) {
    events.push_back(event);
    if (event.kind == EventKind::kFinished) finished[event.id] = event;
  }

  std::unique_ptr<ServerModel> server;
  Instant now = kStart;
  std::vector<Event> events;
  std::map<RequestId, Event> finished;
};

TEST(SimpleServer, ARequestTakesAPromptStepAndAStepAToken) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 100), tokens(5'000, 3));
  run.drain();
  ASSERT_EQ(run.events.size(), 4u);
  const auto ms = [&](std::size_t i) {
    return std::chrono::round<std::chrono::milliseconds>(run.events[i].at - kStart).count();
  };
  EXPECT_EQ(ms(0), 110);  // the prompt, and with it the first token
  EXPECT_EQ(ms(1), 120);
  EXPECT_EQ(ms(2), 130);
  EXPECT_EQ(run.events[2].index, 2u);
  EXPECT_EQ(run.events[3].kind, EventKind::kFinished);
  EXPECT_EQ(ms(3), 130);
  EXPECT_EQ(run.events[3].scheduled_at, kStart);
  const RankStats stats = run.server->stats()[0];
  EXPECT_EQ(stats.prompt_tokens, 100u);
  EXPECT_EQ(stats.generation_tokens, 3u);
  EXPECT_EQ(stats.finished, 1u);
  EXPECT_EQ(stats.num_gpu_blocks, 101u);
  EXPECT_EQ(stats.running, 0u);
  EXPECT_DOUBLE_EQ(stats.kv_usage, 0);
}

TEST(SimpleServer, ALongPromptIsComputedInChunksOfTheBudget) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 1'000), tokens(5'000, 1));
  run.drain();
  // 512 + 488 tokens in two steps.
  EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(run.events[0].at - kStart).count(),
            1'020);
}

TEST(SimpleServer, AContinuedHistoryHitsPromptAndOutput) {
  Driven run(plain_spec());
  const auto first = tokens(0, 100);
  const auto answer = tokens(5'000, 60);
  run.submit(1, first, answer);
  run.drain();
  EXPECT_EQ(run.finished[1].cached_tokens, 0u);
  run.submit(2, join(join(first, answer), tokens(9'000, 40)), tokens(6'000, 4));
  run.drain();
  // 159 of the 160 tokens had their KV computed: nine full blocks.
  EXPECT_EQ(run.finished[2].cached_tokens, 144u);
  const RankStats stats = run.server->stats()[0];
  EXPECT_EQ(stats.prefix_queries, 300u);
  EXPECT_EQ(stats.prefix_hits, 144u);
  EXPECT_EQ(stats.prompt_cached, 144u);
}

TEST(SimpleServer, AHitStopsShortOfTheLastToken) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 64), tokens(5'000, 1));
  run.drain();
  run.submit(2, tokens(0, 64), tokens(5'000, 1));
  run.drain();
  EXPECT_EQ(run.finished[2].cached_tokens, 48u)
      << "four full blocks, but the last token is computed";
  run.submit(3, tokens(0, 65), tokens(5'000, 1));
  run.drain();
  EXPECT_EQ(run.finished[3].cached_tokens, 64u);
}

TEST(SimpleServer, UnknownOutputCannotBeHit) {
  Driven run(plain_spec());
  EngineRequest request = make(1, tokens(0, 32), 0);
  request.output_tokens = 64;
  ASSERT_TRUE(run.server->submit(request, run.now));
  run.drain();
  run.submit(2, join(tokens(0, 32), tokens(5'000, 64)), tokens(6'000, 1));
  run.drain();
  EXPECT_EQ(run.finished[2].cached_tokens, 32u);
}

TEST(SimpleServer, TheSaltSeparatesCaches) {
  Driven run(plain_spec());
  for (RequestId id = 1; id <= 3; ++id) {
    const EngineRequest request = make(id, tokens(0, 101), 1, id == 2 ? 77 : 5);
    ASSERT_TRUE(run.server->submit(request, run.now));
    run.drain();
  }
  EXPECT_EQ(run.finished[2].cached_tokens, 0u);
  EXPECT_EQ(run.finished[3].cached_tokens, 96u);
}

TEST(SimpleServer, TheConversationNotSeenForLongestIsEvicted) {
  Driven run(plain_spec());  // room for 100 blocks
  run.submit(1, tokens(0, 640), tokens(5'000, 1));
  run.drain();
  run.submit(2, tokens(10'000, 640), tokens(5'000, 1));
  run.drain();
  run.submit(3, tokens(0, 640), tokens(5'000, 1));  // touches the first again
  run.drain();
  EXPECT_EQ(run.finished[3].cached_tokens, 624u);
  run.submit(4, tokens(20'000, 640), tokens(5'000, 1));
  run.drain();
  run.submit(5, tokens(0, 640), tokens(5'000, 1));
  run.drain();
  EXPECT_EQ(run.finished[5].cached_tokens, 624u);
  run.submit(6, tokens(10'000, 640), tokens(5'000, 1));
  run.drain();
  EXPECT_LT(run.finished[6].cached_tokens, 624u) << "the second lost blocks to the fourth";
}

TEST(SimpleServer, MaxNumSeqsBoundsTheRunning) {
  Driven run(plain_spec());
  for (RequestId id = 1; id <= 6; ++id) {
    run.submit(id, tokens(static_cast<Token>(id * 1'000), 20), tokens(5'000, 50));
  }
  run.advance(std::chrono::milliseconds(400));
  RankStats stats = run.server->stats()[0];
  EXPECT_EQ(stats.running, 4u);
  EXPECT_EQ(stats.waiting, 2u);
  run.drain();
  EXPECT_EQ(run.finished.size(), 6u);
}

TEST(SimpleServer, TheQueueWaitsForRoomInOrder) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 1'200), tokens(5'000, 20));     // 77 blocks
  run.submit(2, tokens(10'000, 800), tokens(5'000, 20));  // does not fit beside it
  run.submit(3, tokens(20'000, 16), tokens(5'000, 20));   // would, but waits behind
  run.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(run.server->stats()[0].running, 1u);
  EXPECT_EQ(run.server->stats()[0].waiting, 2u);
  run.drain();
  EXPECT_LT(run.finished[1].at, run.finished[2].scheduled_at + Duration(1));
  EXPECT_LE(run.finished[2].scheduled_at, run.finished[3].scheduled_at);
}

TEST(SimpleServer, AbortFreesAtOnceAndKeepsFullBlocksHittable) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 320), tokens(5'000, 400));
  run.submit(2, tokens(30'000, 20), tokens(5'000, 10));
  run.advance(std::chrono::milliseconds(500));
  EXPECT_GT(run.server->stats()[0].kv_usage, 0.4);
  run.server->abort(1, run.now);
  EXPECT_LT(run.server->stats()[0].kv_usage, 0.1);
  EXPECT_EQ(run.server->stats()[0].aborted, 1u);
  const std::size_t before = run.events.size();
  run.drain();
  for (std::size_t i = before; i < run.events.size(); ++i) EXPECT_NE(run.events[i].id, 1u);
  EXPECT_TRUE(run.finished.contains(2));
  run.submit(3, tokens(0, 330), tokens(5'000, 1));
  run.drain();
  EXPECT_EQ(run.finished[3].cached_tokens, 320u);
}

TEST(SimpleServer, AbortOfAQueuedRequestAndOfAnUnknownOne) {
  ServerSpec spec = plain_spec();
  spec.max_num_seqs = 1;
  Driven run(spec);
  run.submit(1, tokens(0, 20), tokens(5'000, 5));
  run.submit(2, tokens(100, 20), tokens(5'000, 5));
  run.server->abort(2, run.now);
  run.server->abort(99, run.now);
  EXPECT_EQ(run.server->stats()[0].waiting, 0u);
  EXPECT_EQ(run.server->stats()[0].aborted, 1u);
  run.drain();
  EXPECT_EQ(run.finished.size(), 1u);
  EXPECT_FALSE(run.server->next_event().has_value());
}

TEST(SimpleServer, ANamedRankIsObeyedAndHasItsOwnCache) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  Driven run(spec);
  for (RequestId id = 1; id <= 3; ++id) {
    EngineRequest request = make(id, tokens(0, 101));
    request.rank = id == 3 ? 1 : 2;
    EXPECT_EQ(run.server->submit(request, run.now).value(), *request.rank);
    run.drain();
  }
  EXPECT_EQ(run.finished[2].cached_tokens, 96u);
  EXPECT_EQ(run.finished[3].cached_tokens, 0u);
  EXPECT_EQ(run.server->stats()[2].finished, 2u);
  EXPECT_EQ(run.server->stats()[0].finished, 0u);
}

TEST(SimpleServer, RefusesWhatCannotBe) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  Driven run(spec);
  EngineRequest request = make(1, tokens(0, 11));
  request.rank = 4;
  auto result = run.server->submit(request, run.now);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kBadRequest);
  EXPECT_EQ(result.error().message, "data_parallel_rank 4 is out of range [0, 4).");
  request.rank.reset();
  request.prompt_tokens = 1'600;
  result = run.server->submit(request, run.now);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("do not fit the KV cache of 1616 tokens"));
  request.prompt_tokens = 0;
  EXPECT_FALSE(run.server->submit(request, run.now));
  EXPECT_FALSE(run.server->next_event().has_value());
}

TEST(SimpleServer, WithoutARankTheBalancerDealsRequestsOut) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  spec.api_processes = 1;
  Driven run(spec);
  std::vector<std::uint32_t> ranks;
  for (RequestId id = 1; id <= 5; ++id) {
    ranks.push_back(run.submit(id, tokens(0, 20), tokens(5'000, 1)));
  }
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 3, 0}));
}

TEST(SimpleServer, TheConnectionsProcessDecidesWhoseCountsAreUsed) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;  // four API processes
  Driven run(spec);
  std::vector<std::uint32_t> ranks;
  for (RequestId id = 1; id <= 4; ++id) {
    EngineRequest request = make(id, tokens(0, 21));
    request.api_process = id <= 2 ? 3 : 1;
    ranks.push_back(run.server->submit(request, run.now).value());
  }
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{3, 0, 1, 2}));
}

TEST(SimpleServer, APoolingRequestEndsWithItsPrompt) {
  Driven run(plain_spec());
  run.submit(1, tokens(0, 50), {});
  run.drain();
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::kFinished);
  EXPECT_EQ(run.server->stats()[0].generation_tokens, 0u);
}

TEST(SimpleServer, SameSeedSameRun) {
  const auto play = [] {
    ServerSpec spec = plain_spec();
    spec.ranks = 3;
    spec.balancer = Balancer::kOff2026;
    Driven run(spec);
    std::mt19937_64 random(3);
    for (RequestId id = 1; id <= 200; ++id) {
      run.submit(id, tokens(static_cast<Token>(random() % 5 * 100), 20 + random() % 300),
                 tokens(5'000, 1 + random() % 20));
      run.advance(std::chrono::milliseconds(random() % 80));
      if (random() % 10 == 0) run.server->abort(id - random() % id, run.now);
    }
    run.drain();
    std::uint64_t sum = 0;
    for (const Event& event : run.events) {
      sum = sum * 31 + event.id + static_cast<std::uint64_t>(event.at.time_since_epoch().count());
    }
    for (const RankStats& stats : run.server->stats()) {
      EXPECT_EQ(stats.kv_usage, 0);
      EXPECT_EQ(stats.running + stats.waiting, 0u);
    }
    return sum;
  };
  EXPECT_EQ(play(), play());
}

TEST(Presets, AreSoundAndNamed) {
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(check_spec(preset.spec)) << preset.name;
    EXPECT_EQ(find_preset(preset.name), &preset);
  }
  EXPECT_EQ(find_preset("nothing"), nullptr);
  EXPECT_EQ(presets().front().name, "a4000-qwen3-4b");
}

TEST(Presets, TheA4000TakesTheMeasuredTimes) {
  Driven run(find_preset("a4000-qwen3-4b")->spec);
  run.submit(1, tokens(0, 3'520), tokens(5'000, 1));
  run.drain();
  run.submit(2, join(tokens(0, 3'520), tokens(50'000, 7'300)), tokens(5'000, 2));
  const Instant sent = run.now;
  run.drain();
  EXPECT_EQ(run.finished[2].cached_tokens, 3'520u);
  const std::size_t last = run.events.size() - 1;  // two tokens, then the end
  EXPECT_NEAR(to_seconds(run.events[last - 2].at - sent), 2.4, 0.1);
  EXPECT_NEAR(to_seconds(run.events[last - 1].at - run.events[last - 2].at), 0.0285, 0.001);
}

TEST(Presets, TheH100TakesTheMeasuredTimes) {
  Driven run(find_preset("h100-30b-a3b")->spec);
  run.submit(1, tokens(0, 100'000), tokens(5'000, 1));
  run.drain();
  EXPECT_NEAR(to_seconds(run.events[0].at - kStart), 8.0, 0.3);
}

TEST(CheckSpec, NamesTheField) {
  ServerSpec spec;
  spec.kv_tokens = 20;
  EXPECT_THAT(check_spec(spec).error().message, HasSubstr("kv-tokens"));
  spec = {};
  spec.ranks = 0;
  EXPECT_THAT(check_spec(spec).error().message, HasSubstr("data-parallel-size"));
  spec = {};
  spec.max_num_seqs = 0;
  EXPECT_THAT(check_spec(spec).error().message, HasSubstr("max-num-seqs"));
}

}  // namespace
}  // namespace berth::engine
