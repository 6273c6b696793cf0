#include "observe/access_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace berth::observe {
namespace {

using ::testing::HasSubstr;

class Directory {
 public:
  Directory() {
    std::string name = ::testing::TempDir() + "access_log_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

AccessRecord record(std::string id) {
  AccessRecord r;
  r.id = std::move(id);
  r.status = 200;
  return r;
}

TEST(AccessRecord, EveryFieldHasItsKey) {
  AccessRecord r;
  r.at = WallTime{} + std::chrono::milliseconds(1'767'225'600'007);
  r.id = "req-1";
  r.method = "POST";
  r.path = "/v1/messages";
  r.model = "qwen";
  r.replica = "gpu0/1";
  r.outcome = "sticky";
  r.reason = "home";
  r.identity = "claude_code";
  r.conversation = "0123456789abcdef";
  r.tenant = "alice";
  r.status = 200;
  r.bytes_in = 233121;
  r.bytes_out = 99;
  r.queue = std::chrono::microseconds(1500);
  r.ttfb = std::chrono::milliseconds(380);
  r.total = std::chrono::seconds(3);
  r.prompt_tokens = 7000;
  r.cached_tokens = 0;
  r.edits = {"model", "include_usage"};
  EXPECT_EQ(
      to_json(r),
      R"({"time":"2026-01-01T00:00:00.007Z","id":"req-1","method":"POST","path":"/v1/messages",)"
      R"("model":"qwen","replica":"gpu0/1","outcome":"sticky","reason":"home","identity":"claude_code",)"
      R"("conversation":"0123456789abcdef","tenant":"alice","status":200,"upstream_status":null,"error":null,"bytes_in":233121,)"
      R"("bytes_out":99,"queue_s":0.001500,"ttfb_s":0.380000,"total_s":3.000000,"prompt_tokens":7000,)"
      R"("cached_tokens":0,"output_tokens":null,"edits":["model","include_usage"],"retried":false})");
}

// Whatever bytes a client manages to get into a field, a line is one line, valid UTF-8, valid JSON
// and short.
TEST(AccessRecord, HostileBytesMakeOneShortValidJsonLine) {
  std::string all;
  for (int round = 0; round < 40; ++round) {
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  }
  AccessRecord r;
  r.id = r.method = r.path = r.model = r.replica = r.outcome = r.reason = all;
  r.identity = r.conversation = r.tenant = r.error = all;
  r.edits = std::vector<std::string>(1000, all);
  r.status = -1;
  const std::string line = to_json(r);
  EXPECT_EQ(lines(line), 0);
  EXPECT_LT(line.size(), 64u * 1024);
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(line);
  ASSERT_FALSE(parser.parse(padded).error());
  EXPECT_EQ(std::count_if(line.begin(), line.end(), [](char c) { return c >= 0 && c < 0x20; }), 0);
}

TEST(AccessLog, WritesEveryRecordInOrderAndAppends) {
  const Directory dir;
  for (int round = 0; round < 2; ++round) {
    auto log = AccessLog::open(dir / "log");
    ASSERT_TRUE(log);
    for (int i = 0; i < 100; ++i) (*log)->write(record("r" + std::to_string(round * 100 + i)));
    EXPECT_EQ((*log)->dropped(), 0u);
  }
  const std::string text = read(dir / "log");
  EXPECT_EQ(lines(text), 200);
  EXPECT_LT(text.find("\"r0\""), text.find("\"r99\""));
  EXPECT_LT(text.find("\"r99\""), text.find("\"r199\""));
}

TEST(AccessLog, AFileThatCannotBeOpenedIsAnErrorWithItsName) {
  const Directory dir;
  const auto log = AccessLog::open(dir / "no/such/log");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kIo);
  EXPECT_THAT(log.error().message, HasSubstr("no/such/log: No such file"));
}

TEST(AccessLog, EmptyPathIsOff) {
  const auto log = AccessLog::open("");
  ASSERT_TRUE(log);
  (*log)->write(record("x"));
  EXPECT_EQ((*log)->dropped(), 0u);
  EXPECT_TRUE((*log)->reopen());
}

TEST(AccessLog, DashIsStandardOutput) {
  ::testing::internal::CaptureStdout();
  {
    auto log = AccessLog::open("-");
    ASSERT_TRUE(log);
    (*log)->write(record("to-stdout"));
    EXPECT_TRUE((*log)->reopen());
  }
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("\"to-stdout\""));
}

TEST(AccessLog, ReopenGoesOnInANewFileAndLosesNothing) {
  const Directory dir;
  {
    auto log = AccessLog::open(dir / "log");
    ASSERT_TRUE(log);
    for (int i = 0; i < 50; ++i) (*log)->write(record("before"));
    std::filesystem::rename(dir / "log", dir / "log.1");
    ASSERT_TRUE((*log)->reopen());
    for (int i = 0; i < 50; ++i) (*log)->write(record("after"));
  }
  EXPECT_EQ(lines(read(dir / "log.1")) + lines(read(dir / "log")), 100);
  EXPECT_THAT(read(dir / "log.1"), Not(HasSubstr("after")));
  EXPECT_THAT(read(dir / "log"), HasSubstr("after"));
}

TEST(AccessLog, AReopenThatFailsKeepsTheOldFile) {
  const Directory dir;
  std::filesystem::create_directory(dir / "d");
  {
    auto log = AccessLog::open(dir / "d/log");
    ASSERT_TRUE(log);
    std::filesystem::rename(dir / "d", dir / "e");
    EXPECT_FALSE((*log)->reopen());
    (*log)->write(record("kept"));
  }
  EXPECT_THAT(read(dir / "e/log"), HasSubstr("kept"));
}

TEST(AccessLog, AFullDiskIsCountedAndDoesNotEndTheProcess) {
  std::unique_ptr<AccessLog> log = std::move(*AccessLog::open("/dev/full"));
  log->write(record("lost"));
  while (log->dropped() == 0) std::this_thread::yield();
  EXPECT_EQ(log->dropped(), 1u);
}

// A named pipe that is read only later.
class Pipe {
 public:
  explicit Pipe(const std::string& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    fd_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~Pipe() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  // What is there, waiting at most ten seconds for something.
  std::string read_some() {
    pollfd waiter{fd_, POLLIN, 0};
    ::poll(&waiter, 1, 10'000);
    std::string text(65536, '\0');
    const auto n = ::read(fd_, text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

 private:
  int fd_ = -1;
};

TEST(AccessLog, WhenThePipeIsSlowTheRingDropsAndEveryLineIsEitherWrittenOrCounted) {
  const Directory dir;
  Pipe pipe(dir / "pipe");
  auto log = AccessLog::open(dir / "pipe", 4);
  ASSERT_TRUE(log);
  constexpr std::uint64_t kSent = 1000;
  for (std::uint64_t i = 0; i < kSent; ++i) (*log)->write(record("r"));
  EXPECT_GT((*log)->dropped(), kSent / 2);  // a pipe holds 64 KiB, a line has about 400 bytes
  std::string text;
  while (lines(text) + static_cast<std::ptrdiff_t>((*log)->dropped()) <
         static_cast<std::ptrdiff_t>(kSent)) {
    const std::string more = pipe.read_some();
    ASSERT_FALSE(more.empty());
    text += more;
  }
  log->reset();
  EXPECT_TRUE(text.starts_with("{") && text.ends_with("}\n"));
}

TEST(AccessLog, APipeWhoseReaderLeftIsCountedAndDoesNotEndTheProcess) {
  const Directory dir;
  Pipe pipe(dir / "pipe");
  auto log = AccessLog::open(dir / "pipe");
  ASSERT_TRUE(log);
  pipe.close();
  (*log)->write(record("lost"));
  while ((*log)->dropped() == 0) std::this_thread::yield();
  EXPECT_EQ((*log)->dropped(), 1u);
}

TEST(AccessLog, TheEndDoesNotWaitForeverForAPipeNobodyReads) {
  const Directory dir;
  Pipe pipe(dir / "pipe");
  auto log = AccessLog::open(dir / "pipe");
  ASSERT_TRUE(log);
  for (int i = 0; i < 1000; ++i) (*log)->write(record("r"));
  log->reset();  // the test's own limit would end it
}

TEST(AccessLog, ManyThreadsMayWrite) {
  const Directory dir;
  {
    auto log = AccessLog::open(dir / "log", 100'000);
    ASSERT_TRUE(log);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 1000; ++i) (*log)->write(record("r"));
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(lines(read(dir / "log")), 4000);
}

}  // namespace
}  // namespace berth::observe
