// Errors Berth answers without asking a replica count like all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;

TEST(LocalErrors, AreCountedByTheirCode) {
  ScriptedServer server(answer_messages);
  config::Config config = RunningGateway::defaults();
  // SHA-256 of "client-secret".
  config.client_keys.push_back(
      {"team", "fdce8e4a65b70d186bd77cba2e0c580dcf1c6497da9f1b70eed849497e1f8ba2"});
  RunningGateway gateway({server.url()}, 1, config);
  const auto status_of = [&](const std::string& line) {
    RawClient client(gateway.port());
    client.send(line + " HTTP/1.1\r\nHost: berth\r\n\r\n");
    return client.response().value_or(Message{}).status();
  };
  EXPECT_EQ(status_of("GET /v1/models"), 401);
  EXPECT_EQ(status_of("GET /reset_prefix_cache"), 404);
  EXPECT_EQ(status_of("GET /v1/messages"), 405);
  EXPECT_EQ(status_of("DELETE /v1/models"), 405);
  const std::string text = gateway->metrics_text();
  EXPECT_THAT(text, HasSubstr(R"(berth_errors_total{code="unauthorized"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_errors_total{code="not_found"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(berth_errors_total{code="method_not_allowed"} 2)"));
}

}  // namespace
}  // namespace berth::scenario
