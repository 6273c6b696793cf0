#include "config/check_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "config/load.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CheckPaths : public ::testing::Test {
 protected:
  // What is wrong with a file whose first line is `line`.
  std::vector<std::string> check(const std::string& line) {
    folder_.write("berth.toml", line + "\n[[server]]\nurl = \"http://gpu0:8000\"\n");
    const auto config = load(file_, {}, {});
    EXPECT_TRUE(config.has_value()) << config.error().message;
    return config ? check_paths(*config) : std::vector<std::string>{};
  }
  std::string placed(const std::string& what) const { return file_ + ":1: " + what; }

  const TempFolder folder_;
  const std::string file_ = folder_.path("berth.toml");
};

TEST_F(CheckPaths, WhatServeCanMakeOrUseIsNoProblemAndNothingIsMade) {
  EXPECT_THAT(check("access_log = \"access.log\""), IsEmpty());
  EXPECT_THAT(check("access_log = \"-\""), IsEmpty());
  EXPECT_THAT(check("access_log = \"/dev/null\""), IsEmpty());
  EXPECT_THAT(check("state_dir = \"state\""), IsEmpty());
  EXPECT_THAT(check("state_dir = \"state/\""), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path("access.log")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("state")));
}

TEST_F(CheckPaths, AnAccessLogThatCannotBeOpenedIsNamedWithItsLine) {
  EXPECT_THAT(check("access_log = \"missing/access.log\""),
              ElementsAre(placed("access_log: the folder " + folder_.path("missing") +
                                 " cannot be used: No such file or directory")));
  std::filesystem::create_directory(folder_.path("log"));
  EXPECT_THAT(
      check("access_log = \"log\""),
      ElementsAre(placed("access_log: " + folder_.path("log") + " is a folder, not a file")));
}

TEST_F(CheckPaths, AStateDirectoryThatCannotBeUsedIsNamedWithItsLine) {
  const std::string file = folder_.write("file", "x");
  EXPECT_THAT(check("state_dir = \"file\""),
              ElementsAre(placed("state_dir: " + file + " is not a folder")));
  EXPECT_THAT(check("state_dir = \"file/state\""),
              ElementsAre(placed("state_dir: " + file + "/state cannot be used: Not a directory")));
  EXPECT_THAT(check("state_dir = \"missing/state\""),
              ElementsAre(placed("state_dir: the folder " + folder_.path("missing") +
                                 " cannot be used: No such file or directory")));
  std::filesystem::create_directory(folder_.path("state"));
  const std::string key = folder_.write("state/key", "short");
  EXPECT_THAT(check("state_dir = \"state\""),
              ElementsAre(placed("state_dir: " + key +
                                 " is damaged: 5 bytes instead of 32; "
                                 "remove it to start with a new key")));
}

TEST_F(CheckPaths, APlaceWithoutPermissionIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(folder_.path("shut"));
  std::filesystem::permissions(folder_.path("shut"), std::filesystem::perms::owner_read);
  const std::string why =
      "the folder " + folder_.path("shut") + " cannot be written: Permission denied";
  EXPECT_THAT(check("access_log = \"shut/log\""), ElementsAre(placed("access_log: " + why)));
  EXPECT_THAT(check("state_dir = \"shut\""), ElementsAre(placed("state_dir: " + why)));
}

}  // namespace
}  // namespace berth::config
