// Clients that leave, servers that fail on request, and the record of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "engine_http/engine_fixture.h"
#include "engine_http/sha256.h"

namespace berth::engine_http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class EngineFaultsTest : public EngineFixture {
 protected:
  static http::ClientRequest chat(bool stream, const std::string& fault = {}) {
    auto request =
        post("/v1/chat/completions",
             {{"stream", stream}, {"messages", {{{"role", "user"}, {"content", "hi"}}}}});
    if (!fault.empty()) request.headers.emplace_back("X-Berth-Fault", fault);
    return request;
  }
  void start_with_faults() {
    options_.allow_faults = true;
    start();
  }
  // Every request is over, whichever way.
  void expect_idle() {
    run_until([this] { return server_->in_flight() == 0; });
    EXPECT_EQ(server_->stats()[0].running + server_->stats()[0].waiting, 0u);
    EXPECT_EQ(server_->stats()[0].kv_usage, 0);
  }
};

TEST_F(EngineFaultsTest, AClientThatLeavesBeforeTheFirstTokenIsAbortedAtOnce) {
  start_slow();
  auto exchange = begin(chat(true));
  ASSERT_NE(exchange, nullptr);
  run_until([this] { return server_->stats()[0].running == 1; });
  exchange.reset();
  run_until([this] { return server_->stats()[0].aborted == 1; });
  expect_idle();
}

TEST_F(EngineFaultsTest, AClientThatLeavesBeforeAWholeAnswerIsAbortedAtOnce) {
  start_slow();
  auto request = chat(false);
  request.timeout = std::chrono::milliseconds(1);
  while (server_->stats()[0].running == 0 && server_->stats()[0].aborted == 0) {
    EXPECT_FALSE(try_fetch(request));
  }
  run_until([this] { return server_->stats()[0].aborted > 0; });
  expect_idle();
}

TEST_F(EngineFaultsTest, AClientThatLeavesMidStreamIsAborted) {
  options_.time_scale = 1;  // 24 ms a token, so it is far from done
  start();
  auto request = chat(true);
  request.body = Json{{"stream", true},
                      {"ignore_eos", true},
                      {"max_tokens", 30'000},
                      {"messages", {{{"role", "user"}, {"content", "hi"}}}}}
                     .dump();
  auto exchange = begin(std::move(request));
  ASSERT_NE(exchange, nullptr);
  std::string piece;
  ASSERT_TRUE(*net::run_task(io_, exchange->read(piece)));
  EXPECT_THAT(piece, HasSubstr("\"role\":\"assistant\""));
  exchange.reset();
  run_until([this] { return server_->stats()[0].aborted == 1; });
  expect_idle();
  EXPECT_GT(server_->stats()[0].generation_tokens, 0u);
}

TEST_F(EngineFaultsTest, StopEndsStreamsUnderWay) {
  start_slow();
  auto exchange = begin(chat(true));
  ASSERT_NE(exchange, nullptr);
  server_->stop();
  std::string piece;
  EXPECT_FALSE(net::run_task(io_, exchange->read(piece)).value_or(false));
  expect_idle();
}

TEST_F(EngineFaultsTest, RefusesWithStatusAndRetryAfter) {
  start_with_faults();
  const auto response = fetch(chat(true, "refuse-503, retry-after=5"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.header("retry-after"), "5");
  EXPECT_EQ(Json::parse(response.body)["error"]["code"], 503);
  expect_idle();
}

TEST_F(EngineFaultsTest, DiesBeforeTheFirstByte) {
  start_with_faults();
  for (const bool stream : {false, true}) {
    const auto response = try_fetch(chat(stream, "die-before-first-byte"));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUpstreamReset);
  }
  expect_idle();
}

TEST_F(EngineFaultsTest, DiesAfterTheHeadAndMidStream) {
  start_with_faults();
  for (const auto& [fault, chunks] : std::vector<std::pair<std::string, std::size_t>>{
           {"die-after-head", 0}, {"die-mid-stream=2", 3}}) {
    auto exchange = begin(chat(true, fault));
    ASSERT_NE(exchange, nullptr);
    EXPECT_EQ(exchange->head().status, 200);
    std::string all;
    std::string piece;
    Result<bool> more = net::run_task(io_, exchange->read(piece));
    while (more && *more) {
      all += piece;
      more = net::run_task(io_, exchange->read(piece));
    }
    EXPECT_FALSE(more) << "the stream must break, not end";
    std::size_t events = 0;
    for (std::size_t at = all.find("data: "); at != std::string::npos;
         at = all.find("data: ", at + 1)) {
      ++events;
    }
    EXPECT_EQ(events, chunks) << fault << ": the role chunk and one a token";
  }
  EXPECT_FALSE(try_fetch(chat(false, "die-mid-stream")));
  expect_idle();
}

TEST_F(EngineFaultsTest, ErrorsMidStreamInTheApisShape) {
  start_with_faults();
  auto response = fetch(chat(true, "error-mid-stream=2"));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("\"role\":\"assistant\""));
  EXPECT_THAT(response.body, HasSubstr("data: {\"error\":{"));
  EXPECT_THAT(response.body, EndsWith("data: [DONE]\n\n"));
  response = fetch(chat(false, "error-mid-stream"));
  EXPECT_EQ(response.status, 500);
  expect_idle();
}

TEST_F(EngineFaultsTest, HangsUntilTheClientLeaves) {
  start_with_faults();
  auto silent = chat(true, "hang");
  silent.timeout = std::chrono::milliseconds(20);
  EXPECT_FALSE(try_fetch(std::move(silent)));
  auto exchange = begin(chat(true, "hang-mid-stream=1"));
  ASSERT_NE(exchange, nullptr);
  std::string piece;
  ASSERT_TRUE(*net::run_task(io_, exchange->read(piece)));
  EXPECT_EQ(server_->in_flight(), 1u);
  exchange.reset();
  expect_idle();
}

TEST_F(EngineFaultsTest, ASlowFirstByteStillComes) {
  start_with_faults();
  const auto response = fetch(chat(true, "slow-first-byte=20"));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, EndsWith("data: [DONE]\n\n"));
}

TEST_F(EngineFaultsTest, WithoutTheFlagTheHeaderIsNothing) {
  start();
  EXPECT_EQ(fetch(chat(false, "refuse-503")).status, 200);
  EXPECT_EQ(fetch(post("/berth/faults", {{"plan", "refuse-503"}})).status, 404);
}

TEST_F(EngineFaultsTest, AnUnknownFaultIsSaid) {
  start_with_faults();
  const auto response = fetch(chat(false, "burn"));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("unknown fault 'burn'"));
}

TEST_F(EngineFaultsTest, QueuedFaultsHitTheNextRequests) {
  start_with_faults();
  ASSERT_TRUE(server_->inject_fault("refuse-529", 2));
  EXPECT_FALSE(server_->inject_fault("burn", 1));
  EXPECT_EQ(fetch(chat(false)).status, 529);
  EXPECT_EQ(fetch(chat(true)).status, 529);
  EXPECT_EQ(fetch(chat(false)).status, 200);
  EXPECT_EQ(fetch(post("/berth/faults", {{"plan", "refuse-429"}, {"times", 1}})).status, 200);
  EXPECT_EQ(fetch(chat(false)).status, 429);
  EXPECT_EQ(fetch(chat(false)).status, 200);
}

std::vector<Json> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST_F(EngineFaultsTest, RecordsWhatCameAndWent) {
  options_.record_file = ::testing::TempDir() + "berth_engine_record.jsonl";
  std::remove(options_.record_file.c_str());
  options_.spec.ranks = 2;
  start_with_faults();
  auto request =
      post("/v1/messages?beta=true", {{"model", kModel},
                                      {"max_tokens", 8},
                                      {"stream", true},
                                      {"messages", {{{"role", "user"}, {"content", "hi"}}}}});
  request.headers.emplace_back("X-Data-Parallel-Rank", "1");
  request.headers.emplace_back("x-CASE-kept", "Value  inside");
  const std::string body = request.body;
  const auto response = fetch(std::move(request));
  EXPECT_FALSE(try_fetch(chat(true, "die-mid-stream=1")));
  run_until([this] { return read_lines(options_.record_file).size() == 2; });
  const std::vector<Json> lines = read_lines(options_.record_file);
  EXPECT_EQ(lines[0]["method"], "POST");
  EXPECT_EQ(lines[0]["target"], "/v1/messages?beta=true");
  EXPECT_EQ(lines[0]["body_sha256"], sha256_hex(body));
  EXPECT_EQ(lines[0]["response_sha256"], sha256_hex(response.body));
  EXPECT_EQ(lines[0]["response_bytes"], response.body.size());
  EXPECT_EQ(lines[0]["status"], 200);
  EXPECT_EQ(lines[0]["rank"], 1);
  EXPECT_EQ(lines[0]["cached_tokens"], 0);
  EXPECT_EQ(lines[0]["output_tokens"], 8);
  EXPECT_EQ(lines[0]["aborted"], false);
  EXPECT_THAT(lines[0]["headers"].dump(), HasSubstr(R"(["x-CASE-kept","Value  inside"])"));
  EXPECT_EQ(lines[1]["aborted"], true);
  EXPECT_GE(lines[1]["output_tokens"], 1) << "as many as were generated before the connection fell";
}

// Codex closes as soon as it has read the event that ends the response.
TEST_F(EngineFaultsTest, AClientThatLeavesWithTheLastEventWasServed) {
  options_.record_file = ::testing::TempDir() + "berth_engine_last_event.jsonl";
  std::remove(options_.record_file.c_str());
  start();
  for (int i = 0; i < 20; ++i) {
    auto exchange = begin(chat(true));
    ASSERT_NE(exchange, nullptr);
    std::string all;
    std::string piece;
    while (!all.ends_with("data: [DONE]\n\n")) {
      ASSERT_TRUE(*net::run_task(io_, exchange->read(piece)));
      all += piece;
    }
    exchange.reset();
  }
  run_until([this] { return read_lines(options_.record_file).size() == 20; });
  for (const Json& line : read_lines(options_.record_file)) EXPECT_EQ(line["aborted"], false);
  expect_idle();
}

TEST(Sha256, IsTheRealOne) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace berth::engine_http
