#include "base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace berth {
namespace {

// Longer words are typed by machines, and the distance is quadratic.
constexpr std::size_t kLongestWord = 80;

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, kLongestWord)) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out += lower == '-' ? '_' : lower;
  }
  return out;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  const std::string typed = folded(word);
  if (typed.empty()) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  std::vector<std::string_view> begun;
  for (const std::string_view candidate : candidates) {
    const std::string name = folded(candidate);
    if (name.starts_with(typed)) begun.push_back(candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(typed.size(), name.size()) / 3);
    const std::size_t distance = edit_distance(typed, name);
    if (distance > allowed || distance >= name.size()) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best && begun.size() == 1) return begun.front();
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> found = closest(word, candidates);
  return found ? fmt::format("; did you mean \"{}\"?", *found) : std::string();
}

}  // namespace berth
