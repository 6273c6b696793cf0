#include "fleet/prometheus_text.h"

#include <charconv>
#include <system_error>

namespace berth::fleet {
namespace {

constexpr std::size_t kMaxLine = std::size_t{64} * 1024;
constexpr std::size_t kMaxLabels = 128;

bool is_space(char c) { return c == ' ' || c == '\t'; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

// What is left of one line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  void skip_space() {
    while (!text_.empty() && is_space(text_.front())) text_.remove_prefix(1);
  }
  bool accept(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view name() {
    std::size_t n = 0;
    while (n < text_.size() && is_name_character(text_[n])) ++n;
    return take(n);
  }
  std::string_view word() {
    std::size_t n = 0;
    while (n < text_.size() && !is_space(text_[n])) ++n;
    return take(n);
  }
  // A quoted string, its opening quote already taken.
  std::optional<std::string> quoted() {
    std::string value;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return value;
      if (c != '\\' || text_.empty()) {
        value += c;
        continue;
      }
      const char escaped = text_.front();
      text_.remove_prefix(1);
      if (escaped == 'n') {
        value += '\n';
      } else {
        // An escape that is none stays as it was written.
        if (escaped != '"' && escaped != '\\') value += '\\';
        value += escaped;
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view take(std::size_t n) {
    const std::string_view taken = text_.substr(0, n);
    text_.remove_prefix(n);
    return taken;
  }

  std::string_view text_;
};

std::optional<double> parse_value(std::string_view text) {
  if (text.starts_with('+'))
    text.remove_prefix(1);  // from_chars takes "inf" and "nan", but no plus
  double value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) return value;
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The labels after '{'.
bool parse_labels(Cursor& line, std::vector<PromLabel>& labels) {
  for (;;) {
    line.skip_space();
    if (line.accept('}')) return true;
    if (labels.size() >= kMaxLabels) return false;
    const std::string_view name = line.name();
    line.skip_space();
    if (name.empty() || !line.accept('=')) return false;
    line.skip_space();
    if (!line.accept('"')) return false;
    auto value = line.quoted();
    if (!value) return false;
    labels.push_back({name, std::move(*value)});
    line.skip_space();
    // A comma after the last label is allowed.
    if (!line.accept(',')) return line.accept('}');
  }
}

enum class LineKind { kSample, kSkipped, kBad };

LineKind parse_line(std::string_view text, const std::function<bool(std::string_view)>& wanted,
                    PromSample& sample) {
  if (text.size() > kMaxLine) return LineKind::kBad;
  Cursor line(text);
  line.skip_space();
  if (line.at_end() || line.accept('#')) return LineKind::kSkipped;
  sample.name = line.name();
  if (sample.name.empty()) return LineKind::kBad;
  if (!wanted(sample.name)) return LineKind::kSkipped;
  sample.labels.clear();
  line.skip_space();
  if (line.accept('{') && !parse_labels(line, sample.labels)) return LineKind::kBad;
  line.skip_space();
  const auto value = parse_value(line.word());
  if (!value) return LineKind::kBad;
  sample.value = *value;
  // What may follow (a timestamp, an exemplar) is of no use here.
  return LineKind::kSample;
}

}  // namespace

std::optional<std::string_view> PromSample::label(std::string_view wanted) const {
  for (const auto& entry : labels) {
    if (entry.name == wanted) return entry.value;
  }
  return std::nullopt;
}

PromCounts read_prometheus(std::string_view page,
                           const std::function<bool(std::string_view name)>& wanted,
                           const std::function<void(const PromSample&)>& visit) {
  PromCounts counts;
  PromSample sample;
  while (!page.empty()) {
    const std::size_t end = page.find('\n');
    std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    switch (parse_line(line, wanted, sample)) {
      case LineKind::kSample:
        ++counts.samples;
        visit(sample);
        break;
      case LineKind::kBad:
        ++counts.bad_lines;
        break;
      case LineKind::kSkipped:
        break;
    }
  }
  return counts;
}

}  // namespace berth::fleet
