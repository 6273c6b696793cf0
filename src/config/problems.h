// Collects what is wrong with a configuration, so that one run tells everything.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/node.h"

namespace berth::config {

// Where a value came from: a place in a file, a variable or a flag.
struct Origin {
  std::string text;   // "berth.toml:7", "BERTH_LISTEN", "--listen", "command line"
  std::string place;  // what an error begins with: "berth.toml:7:10", "BERTH_LISTEN", ...
  Position at;        // of a file; orders the errors
};

Origin file_origin(const std::string& file, Position at);
Origin named_origin(const std::string& name);  // a variable or a flag

class Problems {
 public:
  static constexpr std::size_t kShown = 20;
  static constexpr std::size_t kLongest = 1000;  // bytes of one problem

  // `what` names the key and says what is wrong and what to do: "limits.body_bytes: expected ...".
  // It may repeat what stands in a file: control characters are taken out, and the end of a long
  // one.
  void add(const Origin& origin, const std::string& what);

  bool empty() const { return found_.empty(); }

  // One line each, the file's in the order of the file, then the rest; past kShown only their
  // number.
  Error error() const;

 private:
  struct Problem {
    Origin origin;
    std::string what;
  };
  std::vector<Problem> found_;
};

}  // namespace berth::config
