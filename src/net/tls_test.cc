#include "net/tls.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <array>
#include <fstream>
#include <optional>

#include "net/connect.h"
#include "net/listener.h"
#include "net/loopback_pair.h"
#include "net/run_task.h"
#include "net/test_certificate.h"

namespace berth::net {
namespace {

using std::chrono::seconds;

// What the server's side saw of one connection.
struct Seen {
  error_code handshake;
  std::string server_name;
  std::string alpn;
  std::string received;
  bool ended = false;
};

// Handshakes, then sends back what comes until the client closes.
Task<void> serve(Socket socket, asio::ssl::context* context, Seen* seen) {
  Stream stream(std::move(socket), *context);
  seen->handshake = co_await stream.handshake_as_server();
  if (!seen->handshake) {
    const char* name = SSL_get_servername(stream.tls_handle(), TLSEXT_NAMETYPE_host_name);
    seen->server_name = name == nullptr ? "" : name;
    const unsigned char* alpn = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(stream.tls_handle(), &alpn, &length);
    seen->alpn.assign(reinterpret_cast<const char*>(alpn), length);
  }
  std::array<char, 4096> buffer;
  while (!seen->handshake) {
    asio::mutable_buffer into(buffer.data(), buffer.size());
    const auto got = co_await stream.read_some(into);
    if (got.error) break;
    seen->received.append(buffer.data(), got.bytes);
    const std::array<asio::const_buffer, 1> back = {asio::buffer(buffer.data(), got.bytes)};
    co_await stream.write_all(back);
  }
  co_await stream.shutdown();
  seen->ended = true;
}

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() : listener_(std::move(Listener::bind(io_, "127.0.0.1", 0).value())) {
    auto server = make_server_context(certificate_.certificate_file(), certificate_.key_file());
    if (!server) throw std::runtime_error(server.error().message);
    server_ = *server;
    asio::co_spawn(io_, listener_.run([this](Socket socket, tcp::endpoint) {
      asio::co_spawn(io_, serve(std::move(socket), server_.get(), &seen_),
                     [](std::exception_ptr) {});
    }),
                   [](std::exception_ptr) {});
  }
  Result<Stream> connect_as(const std::string& host, const TlsClientOptions& options) {
    client_ = std::move(make_client_context(options).value());
    ConnectTarget target;
    target.host = host;
    target.port = listener_.port();
    target.tls = client_.get();
    return run_task(io_, connect(std::move(target), seconds(30)));
  }
  std::string exchange(Stream& stream, std::string_view text) {
    const std::array<asio::const_buffer, 2> pieces = {asio::buffer(text.substr(0, 1)),
                                                      asio::buffer(text.substr(1))};
    EXPECT_FALSE(run_task(io_, stream.write_all(pieces)).error);
    std::string back;
    std::array<char, 4096> buffer;
    while (back.size() < text.size()) {
      const auto got =
          run_task(io_, stream.read_some(asio::mutable_buffer(buffer.data(), buffer.size())));
      if (got.error) break;
      back.append(buffer.data(), got.bytes);
    }
    return back;
  }

  asio::io_context io_{1};
  TestCertificate certificate_{"DNS:localhost,IP:127.0.0.1"};
  TlsContext server_;
  TlsContext client_;
  Listener listener_;
  Seen seen_;
};

TEST_F(TlsTest, CarriesBytesBothWays) {
  auto stream = connect_as("localhost", {true, certificate_.certificate_file()});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_TRUE(stream->is_tls());
  const std::string text(100'000, 'x');
  EXPECT_EQ(exchange(*stream, text), text);
  EXPECT_EQ(seen_.server_name, "localhost");
  EXPECT_EQ(seen_.alpn, "http/1.1");
  EXPECT_GE(SSL_version(stream->tls_handle()), TLS1_2_VERSION);
  run_task(io_, stream->shutdown());
  while (!seen_.ended) io_.run_one();
}

TEST_F(TlsTest, VerifiesAnIpLiteralAndSendsNoNameForIt) {
  auto stream = connect_as("127.0.0.1", {true, certificate_.certificate_file()});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(exchange(*stream, "ab"), "ab");
  EXPECT_EQ(seen_.server_name, "");
}

TEST_F(TlsTest, RefusesACertificateNobodyVouchesFor) {
  const auto stream = connect_as("localhost", {});
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kTlsFailed);
  EXPECT_NE(stream.error().message.find("localhost:" + std::to_string(listener_.port())),
            std::string::npos);
  EXPECT_NE(stream.error().message.find("self-signed"), std::string::npos)
      << stream.error().message;
}

TEST_F(TlsTest, RefusesACertificateForAnotherHost) {
  const TestCertificate other("DNS:somewhere.example");
  server_ = make_server_context(other.certificate_file(), other.key_file()).value();
  const auto by_name = connect_as("localhost", {true, other.certificate_file()});
  ASSERT_FALSE(by_name);
  EXPECT_EQ(by_name.error().code, ErrorCode::kTlsFailed);
  EXPECT_NE(by_name.error().message.find("ostname mismatch"), std::string::npos)
      << by_name.error().message;
  const auto by_address = connect_as("127.0.0.1", {true, other.certificate_file()});
  ASSERT_FALSE(by_address);
  EXPECT_NE(by_address.error().message.find("IP address mismatch"), std::string::npos)
      << by_address.error().message;
}

TEST_F(TlsTest, VerificationCanBeTurnedOff) {
  const TestCertificate other("DNS:somewhere.example");
  server_ = make_server_context(other.certificate_file(), other.key_file()).value();
  auto stream = connect_as("localhost", {false, ""});
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(exchange(*stream, "ab"), "ab");
}

TEST_F(TlsTest, AHandshakeThatStallsMeetsTheTimeout) {
  const auto mute = std::move(Listener::bind(io_, "127.0.0.1", 0).value());  // nobody accepts there
  client_ = make_client_context({false, ""}).value();
  ConnectTarget target;
  target.host = "127.0.0.1";
  target.port = mute.port();
  target.tls = client_.get();
  const auto stream = run_task(io_, connect(std::move(target), std::chrono::milliseconds(50)));
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kConnectTimeout);
  EXPECT_NE(stream.error().message.find("TLS handshake"), std::string::npos);
}

TEST_F(TlsTest, APlainClientFailsTheServersHandshake) {
  Socket plain(io_.get_executor());
  plain.connect(listener_.endpoint());
  asio::write(plain, asio::buffer(std::string_view("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
  while (!seen_.ended) io_.run_one();
  EXPECT_TRUE(seen_.handshake);
}

TEST_F(TlsTest, NamesTheFileThatIsMissing) {
  const auto missing = make_server_context("/nowhere/cert.pem", certificate_.key_file());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kConfig);
  EXPECT_NE(missing.error().message.find("/nowhere/cert.pem"), std::string::npos);
  const auto no_key = make_server_context(certificate_.certificate_file(), "/nowhere/key.pem");
  ASSERT_FALSE(no_key);
  EXPECT_NE(no_key.error().message.find("/nowhere/key.pem"), std::string::npos);
  const auto no_ca = make_client_context({true, "/nowhere/ca.pem"});
  ASSERT_FALSE(no_ca);
  EXPECT_NE(no_ca.error().message.find("/nowhere/ca.pem"), std::string::npos);
}

TEST_F(TlsTest, SaysThatKeyAndCertificateDoNotBelongTogether) {
  const TestCertificate other("DNS:localhost");
  const auto mixed = make_server_context(certificate_.certificate_file(), other.key_file());
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.find("mismatch"), std::string::npos) << mixed.error().message;
}

TEST_F(TlsTest, AStreamMayDieWithACallbackReadOutstanding) {
  auto [near, far] = loopback_pair(io_);
  std::optional<Stream> stream;
  stream.emplace(std::move(near), *server_);
  std::optional<error_code> outcome;
  const auto buffer = std::make_shared<std::array<char, 100>>();
  stream->read_some(asio::buffer(*buffer),
                    [&outcome, buffer](error_code ec, std::size_t) { outcome = ec; });
  stream->close();
  stream.reset();
  while (!outcome) io_.run_one();
  EXPECT_TRUE(*outcome);
}

}  // namespace
}  // namespace berth::net
