#include "cli/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace berth::cli {
namespace {

using ::testing::HasSubstr;

class OutputFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "outputXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
  }
  std::filesystem::path folder;
};

TEST_F(OutputFiles, AppearsWholeWhenItIsCommitted) {
  const std::string path = folder / "rows.json";
  auto file = OutputFile::open(path);
  ASSERT_TRUE(file.has_value());
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->commit("[]\n").has_value());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "[]\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFiles, LeavesNothingWhenItIsNot) {
  std::ofstream(folder / "rows.json") << "old";
  {
    auto file = OutputFile::open(folder / "rows.json");
  }
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(std::filesystem::file_size(folder / "rows.json"), 3U);
}

TEST_F(OutputFiles, APathThatCannotBeWrittenFailsAtOnceAndByName) {
  const auto file = OutputFile::open(folder / "none" / "rows.json");
  ASSERT_FALSE(file.has_value());
  EXPECT_THAT(file.error().message, HasSubstr("none/rows.json: No such file or directory"));
}

}  // namespace
}  // namespace berth::cli
