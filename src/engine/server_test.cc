#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engine/request_for_test.h"
#include "engine/server_model.h"

namespace berth::engine {
namespace {

using ::testing::HasSubstr;

constexpr Instant kStart{std::chrono::seconds(100)};
constexpr std::uint32_t kBlock = 16;

// Steps of exactly 10 ms plus 1 ms a prompt token, so that times can be worked out by hand.
ServerSpec plain_spec() {
  ServerSpec spec;
  spec.kv_tokens = 101 * kBlock;  // 100 usable blocks
  spec.block_size = kBlock;
  spec.max_num_seqs = 4;
  spec.max_num_batched_tokens = 512;
  spec.step = {.base = 0.010,
               .prefill_token = 0.001,
               .decode_seq = 0,
               .decode_context_token = 0,
               .attention = 0};
  return spec;
}

struct Driven {
  explicit Driven(const ServerSpec& spec) : server(make_server(spec)) {}

  std::uint32_t submit(EngineRequest request) {
    const auto rank = server->submit(std::move(request), now);
    EXPECT_TRUE(rank.has_value()) << rank.error().message;
    return rank.value_or(0);
  }
  std::uint32_t submit(RequestId id, std::uint64_t stream, std::uint32_t prompt,
                       std::uint32_t output) {
    return submit(stream_request(id, stream, prompt, output, kBlock));
  }
  void advance_to(Instant when) {
    now = when;
    const std::size_t before = events.size();
    server->advance(now, events);
    for (std::size_t i = before; i < events.size(); ++i) {
      if (events[i].kind == EventKind::kFinished) finished[events[i].id] = events[i];
    }
  }
  void drain() {
    while (const auto next = server->next_event()) advance_to(*next);
  }

  std::unique_ptr<ServerModel> server;
  Instant now = kStart;
  std::vector<Event> events;
  std::map<RequestId, Event> finished;
};

TEST(Server, ARequestTakesAPromptStepAndAStepAToken) {
  Driven run(plain_spec());
  run.submit(1, 1, 100, 3);
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
  EXPECT_EQ(run.events[3].index, 3u);
  EXPECT_EQ(run.events[3].scheduled_at, kStart);
  const RankStats stats = run.server->stats()[0];
  EXPECT_EQ(stats.prompt_tokens, 100u);
  EXPECT_EQ(stats.generation_tokens, 3u);
  EXPECT_EQ(stats.finished, 1u);
  EXPECT_EQ(stats.num_gpu_blocks, 101u);
  EXPECT_EQ(stats.running, 0u);
  EXPECT_DOUBLE_EQ(stats.kv_usage, 0);
  EXPECT_FALSE(run.server->next_event().has_value());
}

TEST(Server, KvUsageIsOfReferencedBlocks) {
  Driven run(plain_spec());
  run.submit(1, 1, 160, 10);
  EXPECT_DOUBLE_EQ(run.server->rank_stats(0).kv_usage, 0.11) << "with the decode that is planned";
  run.drain();
  EXPECT_DOUBLE_EQ(run.server->rank_stats(0).kv_usage, 0);
  EXPECT_EQ(run.server->rank_stats(0).cached_blocks, 10u);
}

TEST(Server, AbortFreesAtOnceAndNoEventFollows) {
  Driven run(plain_spec());
  run.submit(1, 1, 320, 400);
  run.submit(2, 2, 20, 10);
  run.advance_to(kStart + std::chrono::milliseconds(500));
  EXPECT_GT(run.server->rank_stats(0).kv_usage, 0.2);
  run.server->abort(1, run.now);
  run.server->abort(99, run.now);
  EXPECT_LT(run.server->rank_stats(0).kv_usage, 0.1);
  EXPECT_EQ(run.server->rank_stats(0).aborted, 1u);
  const std::size_t before = run.events.size();
  run.drain();
  for (std::size_t i = before; i < run.events.size(); ++i) EXPECT_NE(run.events[i].id, 1u);
  EXPECT_TRUE(run.finished.contains(2));
  run.submit(3, 1, 330, 1);
  run.drain();
  EXPECT_EQ(run.finished[3].cached_tokens, 320u);
}

TEST(Server, ANamedRankIsObeyedAndHasItsOwnCache) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  Driven run(spec);
  for (RequestId id = 1; id <= 3; ++id) {
    EngineRequest request = stream_request(id, 1, 100, 1, kBlock);
    request.rank = id == 3 ? 1 : 2;
    const std::uint32_t wanted = *request.rank;
    EXPECT_EQ(run.submit(std::move(request)), wanted);
    run.drain();
    EXPECT_EQ(run.finished[id].rank, wanted);
  }
  EXPECT_EQ(run.finished[2].cached_tokens, 96u);
  EXPECT_EQ(run.finished[3].cached_tokens, 0u);
  EXPECT_EQ(run.server->stats()[2].finished, 2u);
  EXPECT_EQ(run.server->stats()[0].finished, 0u);
}

TEST(Server, RanksRunSideBySideAndEventsComeInOrderOfTime) {
  ServerSpec spec = plain_spec();
  spec.ranks = 3;
  Driven run(spec);
  for (RequestId id = 1; id <= 3; ++id) {
    EngineRequest request = stream_request(id, id, id == 2 ? 20 : 100, 1, kBlock);
    request.rank = static_cast<std::uint32_t>(3 - id);
    run.submit(std::move(request));
  }
  run.advance_to(kStart + std::chrono::seconds(1));
  ASSERT_EQ(run.events.size(), 6u);
  EXPECT_EQ(run.events[0].id, 2u);
  EXPECT_EQ(run.events[2].id, 3u) << "of one instant, rank by rank";
  EXPECT_EQ(run.events[4].id, 1u);
}

TEST(Server, RefusesWhatCannotBe) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  Driven run(spec);
  EngineRequest request = stream_request(1, 1, 10, 1, kBlock);
  request.rank = 4;
  auto result = run.server->submit(request, run.now);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kBadRequest);
  EXPECT_EQ(result.error().message, "data_parallel_rank 4 is out of range [0, 4).");
  request.rank.reset();
  request.prompt_tokens = 1'600;
  result = run.server->submit(request, run.now);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("1600 tokens and 1 output tokens do not fit the KV "
                                                "cache of 1616 tokens (kv-tokens"));
  request.prompt_tokens = 0;
  EXPECT_FALSE(run.server->submit(request, run.now));
  EXPECT_FALSE(run.server->next_event().has_value());
  request.prompt_tokens = 1'599;
  EXPECT_TRUE(run.server->submit(request, run.now));
  run.drain();
  EXPECT_TRUE(run.finished.contains(1)) << "what fits exactly runs";
}

TEST(Server, WithoutARankTheBalancerDealsRequestsOut) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;
  spec.api_processes = 1;
  Driven run(spec);
  std::vector<std::uint32_t> ranks;
  for (RequestId id = 1; id <= 5; ++id) ranks.push_back(run.submit(id, 1, 20, 1));
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 3, 0}));
}

TEST(Server, TheConnectionsProcessDecidesWhoseCountsAreUsed) {
  ServerSpec spec = plain_spec();
  spec.ranks = 4;  // four API processes
  Driven run(spec);
  std::vector<std::uint32_t> ranks;
  for (RequestId id = 1; id <= 4; ++id) {
    EngineRequest request = stream_request(id, 1, 20, 1, kBlock);
    request.api_process = id <= 2 ? 3 : 1;
    ranks.push_back(run.submit(std::move(request)));
  }
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{3, 0, 1, 2}));
}

// Rank 1 has three requests that no balancer placed. Nothing of it is known until the counts are
// published, after 100 ms.
TEST(Server, TheBalancersSnapshotsAreTakenWhenTheyAreDue) {
  ServerSpec spec = plain_spec();
  spec.ranks = 2;
  spec.api_processes = 1;
  spec.balancer = Balancer::kOffPublished;
  Driven run(spec);
  for (RequestId id = 1; id <= 3; ++id) {
    EngineRequest busy = stream_request(id, id, 20, 100, kBlock);
    busy.rank = 1;
    run.submit(std::move(busy));
  }
  run.advance_to(kStart + std::chrono::milliseconds(50));
  EXPECT_EQ(run.submit(4, 4, 20, 100), 0u) << "a tie; now one waits on rank 0, as far as it knows";
  run.advance_to(kStart + std::chrono::milliseconds(150));
  EXPECT_EQ(run.submit(5, 5, 20, 1), 0u) << "1 running against 3";
}

TEST(Server, TheBalancerHearsWhatStartsAndEnds) {
  ServerSpec spec = plain_spec();
  spec.ranks = 2;
  spec.api_processes = 1;
  spec.balancer = Balancer::kOff2026;
  Driven run(spec);
  EngineRequest first = stream_request(1, 1, 20, 1, kBlock);
  first.rank = 0;
  run.submit(std::move(first));
  EXPECT_EQ(run.submit(2, 2, 20, 100), 1u) << "one is in flight on rank 0";
  run.advance_to(kStart + std::chrono::milliseconds(40));
  ASSERT_TRUE(run.finished.contains(1));
  EXPECT_EQ(run.submit(3, 3, 20, 1), 0u) << "and now none";
}

TEST(Server, WithAnOracleEvictedBlocksComeBackFree) {
  const auto oracle = std::make_shared<KvOracle>();
  ServerSpec spec = plain_spec();
  Driven run(spec);
  run.server = make_server(spec, oracle);
  run.submit(1, 1, 1'000, 1);
  run.drain();
  run.submit(2, 2, 1'200, 1);
  run.drain();
  run.submit(3, 1, 1'000, 1);
  run.drain();
  EXPECT_EQ(run.finished[3].cached_tokens, 992u);
  EXPECT_GT(run.server->rank_stats(0).evicted_blocks, 0u);
  const auto other = make_server(spec, oracle);
  ASSERT_TRUE(other->submit(stream_request(4, 1, 1'000, 1, kBlock), kStart));
  std::vector<Event> events;
  other->advance(kStart + std::chrono::seconds(10), events);
  EXPECT_EQ(events.back().cached_tokens, 992u);
}

TEST(Server, SameSeedSameRun) {
  const auto play = [] {
    ServerSpec spec = plain_spec();
    spec.ranks = 3;
    spec.balancer = Balancer::kOff2026;
    Driven run(spec);
    std::mt19937_64 random(3);
    for (RequestId id = 1; id <= 300; ++id) {
      const auto prompt = static_cast<std::uint32_t>(20 + random() % 500);
      run.submit(id, random() % 5, prompt, static_cast<std::uint32_t>(1 + random() % 100));
      run.advance_to(run.now + std::chrono::milliseconds(random() % 80));
      if (random() % 10 == 0) run.server->abort(id - random() % id, run.now);
    }
    run.drain();
    std::uint64_t sum = 0;
    for (const Event& event : run.events) {
      sum = sum * 31 + event.id + static_cast<std::uint64_t>(event.at.time_since_epoch().count());
    }
    std::uint64_t preemptions = 0;
    for (const RankStats& stats : run.server->stats()) {
      EXPECT_EQ(stats.kv_usage, 0);
      EXPECT_EQ(stats.running + stats.waiting, 0u);
      preemptions += stats.preemptions;
    }
    EXPECT_GT(preemptions, 0u);
    return sum;
  };
  EXPECT_EQ(play(), play());
}

TEST(CheckSpec, NamesTheField) {
  const auto message = [](auto change) {
    ServerSpec spec;
    change(spec);
    const auto checked = check_spec(spec);
    return checked ? std::string("nothing") : checked.error().message;
  };
  EXPECT_EQ(message([](ServerSpec&) {}), "nothing");
  EXPECT_THAT(message([](ServerSpec& s) { s.kv_tokens = 31; }), HasSubstr("kv-tokens"));
  EXPECT_EQ(message([](ServerSpec& s) { s.kv_tokens = 32; }), "nothing");
  EXPECT_THAT(message([](ServerSpec& s) { s.kv_tokens = std::uint64_t{1} << 40; }),
              HasSubstr("kv-tokens"));
  EXPECT_THAT(message([](ServerSpec& s) { s.block_size = 0; }), HasSubstr("block-size"));
  EXPECT_THAT(message([](ServerSpec& s) { s.ranks = 0; }), HasSubstr("data-parallel-size"));
  EXPECT_THAT(message([](ServerSpec& s) { s.api_processes = 5'000; }),
              HasSubstr("api-server-count"));
  EXPECT_THAT(message([](ServerSpec& s) { s.max_num_seqs = 0; }), HasSubstr("max-num-seqs"));
  EXPECT_THAT(message([](ServerSpec& s) { s.max_num_batched_tokens = 31; }),
              HasSubstr("max-num-batched-tokens"));
  EXPECT_THAT(message([](ServerSpec& s) { s.watermark = 1; }), HasSubstr("watermark"));
  EXPECT_THAT(message([](ServerSpec& s) { s.step.attention = -1; }), HasSubstr("attention"));
  EXPECT_THAT(message([](ServerSpec& s) { s.step.base = 0; }), HasSubstr("base"));
  EXPECT_THAT(message([](ServerSpec& s) { s.step.decode_seq = std::nan(""); }),
              HasSubstr("decode_seq"));
}

}  // namespace
}  // namespace berth::engine
