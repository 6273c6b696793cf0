// A file that is written whole or not at all.
#pragma once

#include <string>

#include "base/result.h"

namespace berth::cli {

// Opened before a long computation, so that a path that cannot be written fails at once; its
// content appears under the path only with commit(). Until then it is a file beside it, which goes
// away when this does. Move only.
class OutputFile {
 public:
  // kIo with the path and the system's reason. "-" is standard output.
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  Result<void> commit(const std::string& text);

 private:
  OutputFile(std::string path, std::string draft)
      : path_(std::move(path)), draft_(std::move(draft)) {}
  std::string path_;
  std::string draft_;  // empty: standard output, or committed
};

}  // namespace berth::cli
