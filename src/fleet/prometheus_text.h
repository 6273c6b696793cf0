// Reads the Prometheus text exposition format (0.0.4, and OpenMetrics as far as its samples look
// the same): https://prometheus.io/docs/instrumenting/exposition_formats/
//
// A page of a large engine has thousands of lines of which a few matter, so names are asked for
// before labels are taken apart. A line that cannot be read is counted and skipped: a page is never
// refused for one odd line.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::fleet {

struct PromLabel {
  std::string_view name;
  std::string value;  // unescaped
};

// Valid while the visitor runs.
struct PromSample {
  std::string_view name;
  std::vector<PromLabel> labels;
  double value = 0;  // may be NaN or infinite

  std::optional<std::string_view> label(std::string_view wanted) const;
};

struct PromCounts {
  std::size_t samples = 0;  // visited
  std::size_t bad_lines = 0;
};

// Calls `visit` for each sample whose name `wanted` accepts, in the page's order. Lines over 64 KiB
// and samples with more than 128 labels are bad lines.
PromCounts read_prometheus(std::string_view page,
                           const std::function<bool(std::string_view name)>& wanted,
                           const std::function<void(const PromSample&)>& visit);

}  // namespace berth::fleet
