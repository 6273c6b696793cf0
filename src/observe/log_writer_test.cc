#include "observe/log_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "observe/log.h"
#include "observe/log_sink.h"

namespace berth::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kRing = 16;
constexpr std::chrono::milliseconds kShortPatience{10};
const std::string kLong(4000, 'x');  // a pipe holds sixteen of them

class LogWriterTest : public ::testing::Test {
 protected:
  LogWriterTest() {
    std::string name = ::testing::TempDir() + "log_writer_XXXXXX";
    dir_ = ::mkdtemp(name.data());
  }
  ~LogWriterTest() override {
    set_log_outlet({});
    std::filesystem::remove_all(dir_);
  }

  std::string path(const std::string& name) const { return dir_ + "/" + name; }
  static LogFile opened(const std::string& path) { return std::move(*LogFile::open(path)); }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  std::string dir_;
};

// A pipe that is open for reading, and read only when a test says so.
class QuietReader {
 public:
  explicit QuietReader(const std::string& path) {
    ::mkfifo(path.c_str(), 0600);
    fd_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~QuietReader() { ::close(fd_); }

  // Reads until `text` was seen; what came before that, too.
  std::string read_until(const std::string& text) const {
    std::string all;
    char part[4096];
    while (all.find(text) == std::string::npos) {
      pollfd waiter{fd_, POLLIN, 0};
      if (::poll(&waiter, 1, 10'000) != 1) break;
      const ssize_t n = ::read(fd_, part, sizeof part);
      if (n <= 0) break;
      all.append(part, static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  int fd_ = -1;
};

TEST_F(LogWriterTest, WritesLinesInTheirOrderAndAllOfThemByItsEnd) {
  {
    const LogWriter writer(opened(path("log")), 1000);
    for (int i = 0; i < 500; ++i) log_info("line {}.", i);
    EXPECT_EQ(writer.dropped(), 0u);
  }
  const std::string text = read(path("log"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 500);
  EXPECT_LT(text.find("info    line 12.\n"), text.find("info    line 499.\n"));
  EXPECT_NE(text.find("info    line 499.\n"), std::string::npos);
}

// Whoever logs must not wait: with a direct write the loop would never end.
TEST_F(LogWriterTest, APipeNobodyReadsHoldsUpNeitherWhoLogsNorTheEnd) {
  const QuietReader reader(path("pipe"));
  std::optional<LogWriter> writer;
  writer.emplace(opened(path("pipe")), kRing, kShortPatience);
  for (int i = 0; i < 200; ++i) log_info("{}", kLong);
  EXPECT_GT(writer->dropped(), 100u);
  writer.reset();
  log_info("{}", kLong);  // nor is what comes later written to a pipe that is full
}

TEST_F(LogWriterTest, TellsHowManyLinesAreMissingOnceThereIsRoom) {
  const QuietReader reader(path("pipe"));
  const LogWriter writer(opened(path("pipe")), kRing, kShortPatience);
  for (int i = 0; i < 200; ++i) log_info("{}", kLong);
  const std::uint64_t dropped = writer.dropped();
  ASSERT_GT(dropped, 0u);
  const std::string told = "Z warning process log: " + std::to_string(dropped) + " lines lost";
  EXPECT_NE(reader.read_until(told).find(told), std::string::npos);
}

TEST_F(LogWriterTest, AfterItsEndLinesAreWrittenDirectlyAgain) {
  {
    const LogWriter writer(opened(path("log")));
  }
  ::testing::internal::CaptureStderr();
  log_info("direct");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("direct\n"));
  EXPECT_THAT(read(path("log")), Not(HasSubstr("direct")));
}

}  // namespace
}  // namespace berth::observe
