// What an engine's errors, by status or inside a stream, mean for the replica: it is taken from new
// conversations for its own faults only, never for back-pressure or a client's mistake.
//
// A replica that fails fast stays the least loaded, so that every new conversation comes to it
// until the fault guard keeps them away (routing/fault_guard.h).
#include <gtest/gtest.h>

#include "routing/fault_guard.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

constexpr std::size_t kConversations = 12;

// How many of kConversations new ones, one after another, came to a replica that answers with
// `script` while another is well.
std::size_t drawn_by(ScriptedServer::Script script, const std::string& path,
                     const std::string& body) {
  ScriptedServer failing(std::move(script));
  ScriptedServer well(answer_messages);
  RunningGateway gateway({failing.url(), well.url()}, 2);
  RawClient client(gateway.port());
  for (std::size_t i = 0; i < kConversations; ++i) {
    client.ask(path, body, {{"x-session-id", "s" + std::to_string(i)}});
  }
  EXPECT_TRUE(gateway.settles());
  return failing.requests().size();
}

class EngineErrors : public ::testing::TestWithParam<int> {};

TEST_P(EngineErrors, PassUntouched) {
  const std::string body =
      R"({"type":"error","error":{"type":"x","message":"wording  a client matches"}})";
  ScriptedServer a(
      [&](const Message&, Wire& wire) { wire.reply(GetParam(), body, "retry-after: 7\r\n"); });
  RunningGateway gateway({a.url()}, 1);
  RawClient client(gateway.port());
  for (int i = 0; i < 12; ++i) {
    const Message answer = client.ask("/v1/messages", messages_body("hi", true), claude("s1"));
    EXPECT_EQ(answer.status(), GetParam());
    EXPECT_EQ(answer.body, body);
    EXPECT_EQ(answer.header("retry-after"), "7");
  }
  EXPECT_EQ(a.requests().size(), 12u);
  EXPECT_EQ(gateway.model().replicas.at(0).routing.state, routing::ReplicaState::kUp);
  EXPECT_TRUE(gateway.settles());
}

TEST_P(EngineErrors, TakeTheReplicaFromNewConversationsOnlyWhereTheyAreItsFault) {
  const std::size_t drawn =
      drawn_by([](const Message&, Wire& wire) { wire.reply(GetParam(), "{}"); }, "/v1/messages",
               messages_body("hi", true));
  if (GetParam() == 500) {
    EXPECT_LE(drawn, routing::kFaultsInARow + 1);  // one more if the pause went by meanwhile
  } else {
    EXPECT_GE(drawn, kConversations - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Statuses, EngineErrors, ::testing::Values(400, 404, 429, 500, 503, 529));

struct InStream {
  const char* name;
  const char* path;
  const char* event;
  bool fault;
  friend void PrintTo(const InStream& one, std::ostream* out) { *out << one.name; }
};

class InStreamErrors : public ::testing::TestWithParam<InStream> {};

TEST_P(InStreamErrors, TakeTheReplicaFromNewConversationsOnlyWhereTheyAreItsFault) {
  const std::size_t drawn = drawn_by(
      [](const Message&, Wire& wire) {
        wire.begin_stream();
        wire.event(GetParam().event);
        wire.end_stream();
      },
      GetParam().path, messages_body("hi", true));
  if (GetParam().fault) {
    EXPECT_LE(drawn, routing::kFaultsInARow + 1);
  } else {
    EXPECT_GE(drawn, kConversations - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Events, InStreamErrors,
    ::testing::Values(
        InStream{"chat_400", "/v1/chat/completions",
                 "data: {\"error\":{\"message\":\"data_parallel_rank 9 is out of range\","
                 "\"type\":\"BadRequestError\",\"code\":400}}\n\ndata: [DONE]\n\n",
                 false},
        InStream{"chat_unknown", "/v1/chat/completions",
                 "data: {\"error\":{\"message\":\"x\"}}\n\ndata: [DONE]\n\n", false},
        InStream{"chat_503", "/v1/chat/completions",
                 "data: {\"error\":{\"message\":\"x\",\"code\":503}}\n\ndata: [DONE]\n\n", false},
        InStream{"chat_500", "/v1/chat/completions",
                 "data: {\"error\":{\"message\":\"x\",\"code\":500}}\n\ndata: [DONE]\n\n", true},
        InStream{"messages_invalid", "/v1/messages",
                 "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                 "\"invalid_request_error\",\"message\":\"x\"}}\n\n",
                 false},
        InStream{"messages_internal", "/v1/messages",
                 "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"internal_error\","
                 "\"message\":\"x\"}}\n\n",
                 true},
        InStream{"responses_failed", "/v1/responses",
                 "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{"
                 "\"error\":{\"code\":\"server_error\",\"message\":\"x\"}}}\n\n",
                 true}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(InStreamError, AfterAnAnswerBeganTheTurnCountsAsServed) {
  ScriptedServer server([](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n");
    wire.event("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"x\"}}\n\n");
    wire.end_stream();
  });
  RunningGateway gateway({server.url()}, 1);
  RawClient client(gateway.port());
  client.ask("/v1/messages", messages_body("hi", true), claude("s"));
  ASSERT_TRUE(gateway.settles());
  EXPECT_EQ(gateway->explain("s").at(0).explanation.turns, 1u);
}

}  // namespace
}  // namespace berth::scenario
