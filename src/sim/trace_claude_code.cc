// The CSV of Claude Code sessions.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/file_text.h"
#include "sim/trace.h"

namespace berth::sim {
namespace {

constexpr std::uint32_t kTraceBlock = 64;
// Beyond any model's context; what is larger is a damaged row.
constexpr std::uint32_t kMostTokens = 20'000'000;
constexpr double kMostSeconds = 1e9;

enum Column : std::uint8_t { kSession, kStream, kIndex, kThink, kIn, kOut, kKept, kTime, kApi };
constexpr std::size_t kColumns = 9;
constexpr std::array<std::string_view, kColumns> kNames = {
    "session", "stream", "idx", "think_s", "in_tokens", "out_tokens", "prefix_blocks_prev",
    "t_s",     "api_s"};
constexpr std::size_t kRequired = 7;

std::vector<std::string_view> cut(std::string_view line) {
  std::vector<std::string_view> cells;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = line.find(',', start);
    if (comma == std::string_view::npos) break;
    cells.push_back(line.substr(start, comma - start));
    start = comma + 1;
  }
  cells.push_back(line.substr(start));
  return cells;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Result<Conversations> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (line.empty()) continue;
      auto taken = places_.empty() ? heading(line) : row(line);
      if (!taken) return tl::unexpected<Error>(std::move(taken.error()));
    }
    if (conversations_.empty()) {
      return fail(ErrorCode::kConfig, fmt::format("{}: there is no request in it", path_));
    }
    return std::move(conversations_);
  }

 private:
  struct Last {
    std::size_t conversation = 0;
    std::uint32_t index = 0;
    std::uint32_t prompt_tokens = 0;
    double time_s = 0;
    double api_s = 0;
  };

  Result<void> heading(std::string_view line) {
    const std::vector<std::string_view> names = cut(line);
    width_ = names.size();
    for (std::size_t c = 0; c < kColumns; ++c) {
      std::optional<std::size_t> place;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == kNames.at(c)) place = i;
      }
      if (!place && c < kRequired) {
        return wrong_row(path_, line_, std::string(kNames.at(c)), "there is no such column");
      }
      places_.push_back(place);
    }
    return {};
  }

  std::string_view cell(Column column) const {
    return places_[column] ? cells_[*places_[column]] : std::string_view{};
  }
  tl::unexpected<Error> wrong(Column column, const std::string& what) const {
    return wrong_row(path_, line_, std::string(kNames.at(column)), what);
  }

  Result<std::uint32_t> whole(Column column) const {
    const std::string_view text = cell(column);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > kMostTokens) {
      return wrong(column,
                   fmt::format("'{}' is not a whole number from 0 to {}", text, kMostTokens));
    }
    return value;
  }

  // Absent where the cell is empty or the column is not there.
  Result<std::optional<double>> seconds(Column column) const {
    const std::string_view text = cell(column);
    if (text.empty()) return std::optional<double>{};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(value >= 0 && value <= kMostSeconds)) {
      return wrong(column, fmt::format("'{}' is not a time in seconds", text));
    }
    return std::optional(value);
  }

  Result<void> row(std::string_view line) {
    cells_ = cut(line);
    if (cells_.size() != width_) {
      return wrong_row(
          path_, line_, "row",
          fmt::format("it has {} cells, the first line has {}", cells_.size(), width_));
    }
    std::array<std::uint32_t, kColumns> number{};
    for (const Column column : {kIndex, kIn, kOut, kKept}) {
      auto value = whole(column);
      if (!value) return tl::unexpected<Error>(std::move(value.error()));
      number.at(column) = *value;
    }
    std::array<std::optional<double>, kColumns> time{};
    for (const Column column : {kThink, kTime, kApi}) {
      auto value = seconds(column);
      if (!value) return tl::unexpected<Error>(std::move(value.error()));
      time.at(column) = *value;
    }
    if (number.at(kIn) == 0) return wrong(kIn, "a prompt has at least one token");
    return add(number, time);
  }

  Result<void> add(const std::array<std::uint32_t, kColumns>& number,
                   const std::array<std::optional<double>, kColumns>& time) {
    const std::pair key{std::string(cell(kSession)), std::string(cell(kStream))};
    const auto [found, fresh] = last_.try_emplace(key);
    Last& last = found->second;
    if (fresh) {
      last.conversation = conversations_.size();
      conversations_.emplace_back();
    } else if (number.at(kIndex) <= last.index) {
      return wrong(kIndex, fmt::format("{} does not come after {}, the last of its stream",
                                       number.at(kIndex), last.index));
    }
    TurnPlan turn;
    turn.prompt_tokens = number.at(kIn);
    turn.output_tokens = std::max(1U, number.at(kOut));
    turn.kept_tokens = number.at(kKept) * kTraceBlock;
    const std::uint32_t most = fresh ? 0 : std::min(turn.prompt_tokens, last.prompt_tokens);
    if (number.at(kKept) > most / kTraceBlock) {
      return wrong(kKept, fmt::format("{} blocks of 64 tokens are more than this prompt and the "
                                      "one before have in common at most ({})",
                                      number.at(kKept), most / kTraceBlock));
    }
    const double at = time.at(kTime).value_or(0);
    const double gap = time.at(kThink).value_or(std::max(0.0, at - last.time_s - last.api_s));
    turn.gap = Duration(static_cast<std::int64_t>((fresh ? 0 : gap) * 1e9));
    conversations_[last.conversation].turns.push_back(std::move(turn));
    last.index = number.at(kIndex);
    last.prompt_tokens = number.at(kIn);
    last.time_s = at;
    last.api_s = time.at(kApi).value_or(0);
    return {};
  }

  std::string path_;
  std::size_t line_ = 0;
  std::size_t width_ = 0;
  std::vector<std::optional<std::size_t>> places_;
  std::vector<std::string_view> cells_;
  std::map<std::pair<std::string, std::string>, Last> last_;
  Conversations conversations_;
};

}  // namespace

Result<Conversations> read_claude_code_csv(const std::string& path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  const std::string file = folder ? (std::filesystem::path(path) / "requests.csv").string() : path;
  auto text = read_file(file);
  if (!text) return tl::unexpected<Error>(std::move(text.error()));
  return Reader(file).read(*text);
}

}  // namespace berth::sim
