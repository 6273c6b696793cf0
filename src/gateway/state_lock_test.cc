#include "gateway/state_lock.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace berth::gateway {
namespace {

class StateLockTest : public ::testing::Test {
 protected:
  StateLockTest() {
    std::string pattern = ::testing::TempDir() + "berth-lock-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~StateLockTest() override { std::filesystem::remove_all(dir_); }

  Result<StateLock> take() { return StateLock::take(dir_, warnings_); }

  std::string dir_;
  std::vector<std::string> warnings_;
};

TEST_F(StateLockTest, IsHeldByOneForLifeAndThenFree) {
  {
    Result<StateLock> first = take();
    ASSERT_TRUE(first.has_value()) << first.error().message;
    const StateLock kept = std::move(*first);
    const Result<StateLock> second = take();
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kIo);
    EXPECT_NE(second.error().message.find(dir_ + " is in use by another berth serve"),
              std::string::npos)
        << second.error().message;
  }
  EXPECT_TRUE(take().has_value());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(StateLockTest, AFileThatCannotBeOpenedIsNamed) {
  std::filesystem::create_directory(dir_ + "/lock");
  const Result<StateLock> lock = take();
  ASSERT_FALSE(lock.has_value());
  EXPECT_NE(lock.error().message.find(dir_ + "/lock"), std::string::npos);
}

TEST_F(StateLockTest, AFileSystemWithoutLocksIsAWarning) {
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL}) {
    const Result<std::string> warning = judge_lock_failure(dir_, error);
    ASSERT_TRUE(warning.has_value());
    EXPECT_NE(warning->find(dir_), std::string::npos);
  }
  EXPECT_FALSE(judge_lock_failure(dir_, EWOULDBLOCK).has_value());
}

}  // namespace
}  // namespace berth::gateway
