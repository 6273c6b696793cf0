#include "cli/demo_token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace berth::cli {
namespace {

class DemoTokenTest : public ::testing::Test {
 protected:
  DemoTokenTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~DemoTokenTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(DemoTokenTest, WithoutAPathItIsFreshPrivateAndGoneAfterwards) {
  std::string path;
  {
    const auto token = DemoToken::obtain("");
    ASSERT_TRUE(token) << token.error().message;
    path = token->path();
    struct stat info{};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    EXPECT_EQ(token->token().size(), 64u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

TEST_F(DemoTokenTest, AMissingFileIsWrittenAndStays) {
  const std::string path = folder_ / "token";
  std::string written;
  {
    const auto token = DemoToken::obtain(path);
    ASSERT_TRUE(token);
    written = token->token();
  }
  const auto again = DemoToken::obtain(path);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->token(), written);
  EXPECT_EQ(again->warning(), "");
}

TEST_F(DemoTokenTest, AnOperatorsFileIsUsedNotOverwritten) {
  const std::string path = folder_ / "token";
  std::ofstream(path) << "an-operators-own-token\n";
  chmod(path.c_str(), 0644);
  const auto token = DemoToken::obtain(path);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->token(), "an-operators-own-token");
  EXPECT_NE(token->warning(), "");
}

TEST_F(DemoTokenTest, ABadPathIsAnErrorThatNamesIt) {
  const std::string path = folder_ / "no" / "token";
  const auto token = DemoToken::obtain(path);
  ASSERT_FALSE(token);
  EXPECT_NE(token.error().message.find(path), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
