// Every file of testdata/ is a bad configuration. The comment lines it begins with are what load()
// says about it: each line of the error without "FILE:" at its beginning, in order, and nothing
// else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/load.h"

namespace berth::config {
namespace {

const std::filesystem::path kFolder = BERTH_CONFIG_TESTDATA;

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  return names;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// "12:14: what" becomes "FILE:12:14: what"; a line without a position is of no file.
std::string expected_error(const std::string& path) {
  std::ifstream file(path);
  std::string expected;
  std::string line;
  while (std::getline(file, line) && line.starts_with("# ")) {
    line.erase(0, 2);
    const bool placed = line.front() >= '0' && line.front() <= '9';
    expected += (expected.empty() ? "" : "\n") + (placed ? path + ":" + line : line);
  }
  replace_all(expected, "FILE", path);
  replace_all(expected, "FOLDER", kFolder.string());
  return expected;
}

class BadFile : public testing::TestWithParam<std::string> {};

TEST_P(BadFile, IsRefusedWithTheseWords) {
  const std::string path = (kFolder / (GetParam() + ".toml")).string();
  const auto config = load(path, {}, {});
  ASSERT_FALSE(config.has_value()) << "the file was accepted";
  EXPECT_EQ(config.error().code, ErrorCode::kConfig);
  EXPECT_EQ(config.error().message, expected_error(path));
}

INSTANTIATE_TEST_SUITE_P(Testdata, BadFile, testing::ValuesIn(bad_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace berth::config
