// No key, of a client or of an engine, is in anything Berth writes or answers.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenario/child_process.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

using ::testing::HasSubstr;

// SHA-256 of "client-secret".
constexpr const char* kClientDigest =
    "fdce8e4a65b70d186bd77cba2e0c580dcf1c6497da9f1b70eed849497e1f8ba2";

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class KeyLeak : public ::testing::Test {
 protected:
  KeyLeak() : server_(answer_messages) {
    server_.require_key("engine-secret");
    std::string pattern = ::testing::TempDir() + "berth-key-leak-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~KeyLeak() override { std::filesystem::remove_all(dir_); }

  std::string write_config(const std::string& upstream_key) {
    const std::string path = dir_ + "/berth.toml";
    std::ofstream(path) << "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\naccess_log = \""
                        << log() << "\"\nstate_dir = \"" << dir_ << "/state\"\n[[server]]\nurl = \""
                        << server_.url() << "\"\napi_key = \"" << upstream_key
                        << "\"\n[[client_key]]\nname = \"team-a\"\nsha256 = \"" << kClientDigest
                        << "\"\n";
    return path;
  }
  std::string log() const { return dir_ + "/access.log"; }

  Message ask(std::uint16_t port, const std::string& key) {
    RawClient client(port);
    HeaderList headers = claude("s1");
    headers.emplace_back("x-api-key", key);
    return client.ask("/v1/messages", messages_body("hi", true), headers);
  }
  // What the admin address tells, and Berth's own answers.
  std::string told(std::uint16_t admin) {
    std::string all;
    for (const char* path : {"/metrics", "/api/snapshot", "/readyz", "/healthz"}) {
      RawClient client(admin);
      client.send(std::string("GET ") + path + " HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
      const Message answer = client.response().value_or(Message{});
      EXPECT_FALSE(answer.body.empty()) << path;
      all += answer.head + answer.body;
    }
    const std::string asked = R"({"session":"s1"})";
    RawClient client(admin);
    client.send(
        "POST /api/explain HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        "content-length: " +
        std::to_string(asked.size()) + "\r\n\r\n" + asked);
    const Message why = client.response().value_or(Message{});
    EXPECT_THAT(why.body, HasSubstr("conversation"));
    return all + why.head + why.body;
  }

  ScriptedServer server_;
  std::string dir_;
};

TEST_F(KeyLeak, NoKeyIsInALogAnAnswerAMetricOrAFile) {
  const std::string path = write_config("engine-secret");
  ChildProcess berth({"serve", "--config", path});
  const std::uint16_t port = berth.port_of("gateway");
  const std::uint16_t admin = berth.port_of("admin");
  std::string all;
  EXPECT_TRUE(eventually([&] { return ask(port, "client-secret").status() == 200; }));
  const Message guessed = ask(port, "guess-secret");
  EXPECT_EQ(guessed.status(), 401);
  all += guessed.head + guessed.body + told(admin);

  write_config("wrong-secret");  // the engine's own 401 then
  berth.signal(SIGHUP);
  EXPECT_TRUE(berth.says("401"));
  Message refused;
  EXPECT_TRUE(eventually([&] {
    refused = ask(port, "client-secret");
    return refused.status() != 200;
  }));
  all += refused.head + refused.body + told(admin);

  berth.signal(SIGTERM);
  EXPECT_EQ(berth.wait(), 0);
  all += berth.errors() + text_of(log());
  EXPECT_THAT(all, HasSubstr("team-a")) << "the log was read";
  for (const auto& file : std::filesystem::directory_iterator(dir_ + "/state")) {
    all += text_of(file.path());
  }
  for (const char* key : {"client-secret", "guess-secret", "engine-secret", "wrong-secret"}) {
    EXPECT_EQ(all.find(key), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace berth::scenario
