// Files for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace berth::config {

// A new folder that goes away with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-config-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(std::string_view name) const { return (folder_ / name).string(); }

  // Writes the file and returns its path.
  std::string write(std::string_view name, std::string_view content, mode_t mode = 0600) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    EXPECT_EQ(chmod(path(name).c_str(), mode), 0);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace berth::config
