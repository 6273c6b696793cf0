// Nobody reads the standard error of `berth serve`: what it logs waits, and nothing else does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "scenario/gateway_fixture.h"
#include "scenario/scripts.h"

namespace berth::scenario {
namespace {

constexpr std::string_view kGetMetrics = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
// A pipe of one page holds about a dozen of them.
constexpr int kReloads = 40;

// `berth serve`, whose standard error is a pipe of one page that is read only while the test asks
// for a port. Ended hard with this object.
class UnreadProcess {
 public:
  explicit UnreadProcess(const std::string& config) {
    std::array<int, 2> ends{};
    BERTH_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    BERTH_CHECK(::fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<std::string> words{BERTH_BINARY, "serve", "--config", config};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    BERTH_CHECK(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), ::environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  ~UnreadProcess() {
    if (!ended_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(pipe_);
  }
  UnreadProcess(const UnreadProcess&) = delete;
  UnreadProcess& operator=(const UnreadProcess&) = delete;

  void signal(int number) const { ::kill(pid_, number); }

  // The port behind "`what` on http://127.0.0.1:"; 0 when it never comes.
  std::uint16_t port_of(const std::string& what) {
    const std::string start = what + " on http://127.0.0.1:";
    std::array<char, 256> part;
    for (;;) {
      const auto at = text_.find(start);
      if (at != std::string::npos && text_.find('\n', at) != std::string::npos) {
        return static_cast<std::uint16_t>(std::stoi(text_.substr(at + start.size())));
      }
      pollfd waiter{pipe_, POLLIN, 0};
      if (::poll(&waiter, 1, 20'000) != 1) return 0;
      const ssize_t n = ::read(pipe_, part.data(), part.size());
      if (n <= 0) return 0;
      text_.append(part.data(), static_cast<std::size_t>(n));
    }
  }

  // Whether it ended by itself with status 0.
  bool ends_well() {
    int status = -1;
    ended_ = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
    return ended_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  bool ended_ = false;
  std::string text_;
};

TEST(StalledLog, HoldsUpNeitherReloadsNorScrapesNorRequestsNorTheEnd) {
  std::string dir = ::testing::TempDir() + "berth-stalled-XXXXXX";
  ASSERT_NE(::mkdtemp(dir.data()), nullptr);
  const std::string path = dir + "/berth.toml";
  ScriptedServer server(answer_messages);
  std::ofstream(path) << "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\naccess_log = \"\"\n"
                      << "[[server]]\nurl = \"" << server.url() << "\"\n";
  UnreadProcess berth(path);
  const std::uint16_t port = berth.port_of("gateway");
  const std::uint16_t admin = berth.port_of("admin");
  ASSERT_NE(port, 0);
  ASSERT_NE(admin, 0);

  std::ofstream(path) << "limitz = 3\n";
  for (int i = 1; i <= kReloads; ++i) {
    const std::string told = "berth_config_reloads_total{result=\"failed\"} " + std::to_string(i);
    berth.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] {
      RawClient client(admin);
      client.send(std::string(kGetMetrics));
      return client.response().value_or(Message{}).body.find(told + "\n") != std::string::npos;
    })) << "reload "
        << i;
  }
  EXPECT_TRUE(eventually([&] {
    RawClient client(port);
    return client.ask("/v1/messages", messages_body("hi", true), claude("s")).status() == 200;
  }));
  berth.signal(SIGTERM);
  EXPECT_TRUE(berth.ends_well());
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace berth::scenario
