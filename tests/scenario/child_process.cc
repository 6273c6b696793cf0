#include "scenario/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "base/check.h"
#include "scenario/gateway_fixture.h"

namespace berth::scenario {

ChildProcess::ChildProcess(std::vector<std::string> arguments) {
  std::array<int, 2> ends{};
  BERTH_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  pipe_ = ends[0];
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string binary = BERTH_BINARY;
  std::vector<char*> argv{binary.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // Whoever runs the tests may ignore SIGPIPE, and a child inherits that.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  BERTH_CHECK(::posix_spawn(&pid_, binary.c_str(), &actions, &attributes, argv.data(), ::environ) ==
              0);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  reader_ = std::thread([this] { read_errors(); });
}

void ChildProcess::read_errors() {
  std::array<char, 4096> buffer;
  std::array<pollfd, 2> waiting{{{pipe_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (::poll(waiting.data(), waiting.size(), -1) > 0 && waiting[1].revents == 0) {
    const ssize_t n = ::read(pipe_, buffer.data(), buffer.size());
    if (n <= 0) return;
    const std::lock_guard lock(mutex_);
    errors_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void ChildProcess::stop_reading() {
  ::eventfd_write(stop_, 1);
  reader_.join();
  ::close(pipe_);
  pipe_ = -1;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (reader_.joinable()) reader_.join();
  if (pipe_ >= 0) ::close(pipe_);
  ::close(stop_);
}

void ChildProcess::signal(int number) { ::kill(pid_, number); }

int ChildProcess::descriptor_limit(rlimit& limit) const {
  return ::prlimit(pid_, RLIMIT_NOFILE, nullptr, &limit);
}

int ChildProcess::wait() {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!ended) return -1;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string ChildProcess::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

bool ChildProcess::says(const std::string& text) const {
  return eventually([&] { return errors().find(text) != std::string::npos; });
}

std::uint16_t ChildProcess::port_of(const std::string& what) const {
  const std::string mark = what + " on http://127.0.0.1:";
  if (!says(mark)) return 0;
  const std::string text = errors();
  return static_cast<std::uint16_t>(std::atoi(text.c_str() + text.find(mark) + mark.size()));
}

}  // namespace berth::scenario
