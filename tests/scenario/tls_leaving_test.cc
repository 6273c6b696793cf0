// With TLS to the client and to the server, a client that leaves aborts the engine's work, and a
// stale connection is noticed, as without.
#include <gtest/gtest.h>

#include "net/test_certificate.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"
#include "scenario/tls_tunnel.h"

namespace berth::scenario {
namespace {

// A gateway with TLS on both sides; the test's own ends stay plain, behind tunnels.
class Encrypted {
 public:
  explicit Encrypted(ScriptedServer::Script script)
      : server(std::move(script)),
        engine_(TlsTunnel::before_server(server.port(), server_context())),
        gateway({url()}, 1, config()),
        client_(TlsTunnel::behind_client(gateway.port(), client_context())) {}

  std::uint16_t port() const { return client_->port(); }  // for a RawClient

 private:
  std::string url() const { return "https://127.0.0.1:" + std::to_string(engine_->port()); }
  net::TlsContext server_context() const {
    return *net::make_server_context(certificate_.certificate_file(), certificate_.key_file());
  }
  net::TlsContext client_context() const {
    return *net::make_client_context({true, certificate_.certificate_file()});
  }
  config::Config config() const {
    config::Config config = RunningGateway::defaults();
    config.threads = 1;  // so that a later request finds the connection of an earlier one
    config.tls_certificate_file = certificate_.certificate_file();
    config.tls_key_file = certificate_.key_file();
    config::Server upstream;
    upstream.url = url();
    upstream.tls_ca_file = certificate_.certificate_file();
    config.servers.push_back(upstream);
    return config;
  }

  const net::TestCertificate certificate_{"IP:127.0.0.1"};

 public:
  ScriptedServer server;

 private:
  std::unique_ptr<TlsTunnel> engine_;

 public:
  RunningGateway gateway;

 private:
  std::unique_ptr<TlsTunnel> client_;
};

enum class Leaves { kPolitely, kWithAReset };

class TlsLeaving : public ::testing::TestWithParam<Leaves> {
 protected:
  static void leave(RawClient& client) {
    if (GetParam() == Leaves::kWithAReset) return client.socket().reset();
    client.socket().half_close();
  }
};

TEST_P(TlsLeaving, BeforeTheFirstByteAbortsTheEngine) {
  std::atomic<bool> saw_abort{false};
  Encrypted both([&](const Message&, Wire& wire) { saw_abort = wire.gateway_left(); });
  RawClient client(both.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s1"));
  ASSERT_TRUE(eventually([&] { return both.server.requests().size() == 1; }));
  EXPECT_FALSE(saw_abort);
  leave(client);
  EXPECT_TRUE(eventually([&] { return saw_abort.load(); }));
  EXPECT_TRUE(both.gateway.settles());
}

TEST_P(TlsLeaving, MidStreamAbortsTheEngine) {
  std::atomic<bool> saw_abort{false};
  Encrypted both([&](const Message&, Wire& wire) {
    wire.begin_stream();
    wire.event("event: ping\ndata: {}\n\n");
    saw_abort = wire.gateway_left();
  });
  RawClient client(both.port());
  client.post("/v1/messages", messages_body("hi", true), claude("s1"));
  ASSERT_TRUE(client.reader().read_until("event: ping"));
  EXPECT_FALSE(saw_abort);
  leave(client);
  EXPECT_TRUE(eventually([&] { return saw_abort.load(); }));
  EXPECT_TRUE(both.gateway.settles());
}

INSTANTIATE_TEST_SUITE_P(Ways, TlsLeaving,
                         ::testing::Values(Leaves::kPolitely, Leaves::kWithAReset),
                         [](const auto& instance) {
                           return instance.param == Leaves::kPolitely ? "Politely" : "WithAReset";
                         });

class TlsStale : public ::testing::TestWithParam<Leaves> {};

TEST_P(TlsStale, AReusedConnectionThatWasClosedIsRetriedOnceOnAFreshOne) {
  std::atomic<int> served{0};
  Encrypted both([&](const Message& request, Wire& wire) {
    if (served.fetch_add(1) != 1) return answer_messages(request, wire);
    if (GetParam() == Leaves::kWithAReset) return wire.reset();
    wire.close();
  });
  RawClient client(both.port());
  EXPECT_EQ(client.ask("/v1/messages", messages_body("one", true), claude("s1")).status(), 200);
  const Message second = client.ask("/v1/messages", messages_body("two", true), claude("s1"));
  EXPECT_EQ(second.status(), 200) << second.body;
  EXPECT_EQ(second.body, messages_events());
  EXPECT_EQ(second.header("x-berth-outcome"), "sticky");
  EXPECT_EQ(both.server.requests().size(), 3u);
  EXPECT_EQ(both.server.connections(), 2u) << "the first two requests shared one";
  EXPECT_TRUE(both.gateway.settles());
}

INSTANTIATE_TEST_SUITE_P(Ways, TlsStale, ::testing::Values(Leaves::kPolitely, Leaves::kWithAReset),
                         [](const auto& instance) {
                           return instance.param == Leaves::kPolitely ? "Politely" : "WithAReset";
                         });

}  // namespace
}  // namespace berth::scenario
