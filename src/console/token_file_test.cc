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
  std::string file_with(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(path()) << text;
    chmod(path().c_str(), mode);
    return path();
  }
  static mode_t mode_of(const std::string& file) {
    struct stat info{};
    EXPECT_EQ(lstat(file.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  std::filesystem::path folder_;
};

TEST_F(TokenFileTest, ReadsOneLineWithoutItsEnd) {
  const auto read = read_token_file(file_with("  0123456789abcdef\r\n"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->token, "0123456789abcdef");
  EXPECT_FALSE(read->warning);
}

TEST_F(TokenFileTest, WarnsWhenOthersMayRead) {
  for (const mode_t mode : {0640, 0604, 0644, 0660}) {
    const auto read = read_token_file(file_with("0123456789abcdef", mode));
    ASSERT_TRUE(read);
    ASSERT_TRUE(read->warning) << mode;
    EXPECT_NE(read->warning->find("chmod 600"), std::string::npos);
  }
  EXPECT_FALSE(read_token_file(file_with("0123456789abcdef", 0400))->warning);
}

TEST_F(TokenFileTest, RefusesWhatCannotBeAToken) {
  for (const std::string& text :
       {std::string(), std::string("short"), std::string("two words 0123456789"),
        std::string("0123456789abcdef\nsecond line"), std::string(5'000, 'x'),
        std::string("0123456789abcd\xc3\xa9")}) {
    const auto read = read_token_file(file_with(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kConfig);
    EXPECT_NE(read.error().message.find(path()), std::string::npos);
  }
}

TEST_F(TokenFileTest, AMissingFileSaysItsName) {
  const auto read = read_token_file(path("nothing"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kIo);
  EXPECT_NE(read.error().message.find(path("nothing")), std::string::npos);
}

TEST_F(TokenFileTest, WritesAFreshTokenForTheOwnerOnly) {
  const auto first = write_token_file(path());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 64u);
  EXPECT_EQ(mode_of(path()), 0600u);
  EXPECT_EQ(read_token_file(path())->token, *first);
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
