#include "config/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/printable.h"

namespace berth::config {

Origin file_origin(const std::string& file, Position at) {
  if (at.line == 0) return {file, file, at};
  return {fmt::format("{}:{}", file, at.line), fmt::format("{}:{}:{}", file, at.line, at.column),
          at};
}

Origin named_origin(const std::string& name) { return {name, name, {}}; }

void Problems::add(const Origin& origin, const std::string& what) {
  found_.push_back({origin, printable(what, kLongest)});
}

Error Problems::error() const {
  std::vector<Problem> sorted = found_;
  const auto key = [](const Problem& problem) {
    return std::pair(problem.origin.at.line == 0, problem.origin.at);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  std::string message;
  for (std::size_t i = 0; i < sorted.size() && i < kShown; ++i) {
    message += fmt::format("{}{}: {}", i == 0 ? "" : "\n",
                           printable(sorted[i].origin.place, kLongest), sorted[i].what);
  }
  if (sorted.size() > kShown) {
    message += fmt::format("\nand {} more problems", sorted.size() - kShown);
  }
  return {ErrorCode::kConfig, message};
}

}  // namespace berth::config
