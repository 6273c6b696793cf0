// The admin token of the demo.
#pragma once

#include <string>

#include "base/result.h"

namespace berth::cli {

// Removes what it made when it goes.
class DemoToken {
 public:
  // An existing file is used as it is, a missing one is written with mode 0600 and stays. Without a
  // path a fresh one is made in a private folder of the temporary directory.
  static Result<DemoToken> obtain(const std::string& path);
  ~DemoToken();
  DemoToken(DemoToken&& other) noexcept;
  DemoToken& operator=(DemoToken&&) = delete;

  const std::string& token() const { return token_; }
  const std::string& path() const { return path_; }
  // A sentence when others may read the file; empty when not.
  const std::string& warning() const { return warning_; }

 private:
  DemoToken() = default;
  static Result<DemoToken> in_private_folder();

  std::string token_;
  std::string path_;
  std::string warning_;
  std::string folder_;  // ours to remove; empty: none
};

}  // namespace berth::cli
