#include "console/token_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace berth::console {
namespace {

class TokenFileTest : public ::testing::Test {
 protected:
  TokenFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-token-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TokenFileTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "token") const { return (folder_ / name).string(); }
  static mode_t mode_of(const std::string& file) {
    struct stat info{};
    EXPECT_EQ(lstat(file.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  std::filesystem::path folder_;
};

TEST_F(TokenFileTest, WritesAFreshTokenForTheOwnerOnly) {
  const auto first = write_token_file(path());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 64u);
  EXPECT_EQ(mode_of(path()), 0600u);
  std::string line;
  std::getline(std::ifstream(path()), line);
  EXPECT_EQ(line, *first);
  const auto second = write_token_file(path());
  ASSERT_TRUE(second);
  EXPECT_NE(*first, *second);
}

TEST_F(TokenFileTest, ReplacesALinkRatherThanWritingThroughIt) {
  std::ofstream(path("victim")) << "untouched";
  std::filesystem::create_symlink(path("victim"), path());
  ASSERT_TRUE(write_token_file(path()));
  EXPECT_FALSE(std::filesystem::is_symlink(path()));
  std::string text;
  std::ifstream(path("victim")) >> text;
  EXPECT_EQ(text, "untouched");
}

TEST_F(TokenFileTest, WriteLeavesNothingBehindOnFailure) {
  std::filesystem::create_directory(path("folder"));
  std::ofstream(path("folder") + "/inside") << "x";
  EXPECT_FALSE(write_token_file(path("folder")));
  EXPECT_FALSE(write_token_file(path("no/such/folder")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace berth::console
