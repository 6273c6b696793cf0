// How a record becomes a line. docs/access-log.md is its reader's view.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <iterator>

#include "observe/access_log.h"
#include "observe/text.h"

namespace berth::observe {
namespace {

constexpr std::size_t kMaxText = 256;
constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kMaxEdits = 16;

class LineWriter {
 public:
  void text(std::string_view key, std::string_view value, std::size_t max_bytes = kMaxText) {
    begin(key);
    if (value.empty()) {
      line_ += "null";
    } else {
      append_json_string(line_, value, max_bytes);
    }
  }
  void number(std::string_view key, std::uint64_t value) {
    begin(key);
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }
  void number(std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) return number(key, *value);
    begin(key);
    line_ += "null";
  }
  void seconds(std::string_view key, const std::optional<Duration>& value) {
    begin(key);
    if (value) {
      fmt::format_to(std::back_inserter(line_), "{:.6f}", to_seconds(*value));
    } else {
      line_ += "null";
    }
  }
  void flag(std::string_view key, bool value) {
    begin(key);
    line_ += value ? "true" : "false";
  }
  void list(std::string_view key, const std::vector<std::string>& values) {
    begin(key);
    line_ += '[';
    for (std::size_t i = 0; i < values.size() && i < kMaxEdits; ++i) {
      if (i > 0) line_ += ',';
      append_json_string(line_, values[i], kMaxText);
    }
    line_ += ']';
  }
  std::string finish() && {
    line_ += '}';
    return std::move(line_);
  }

 private:
  void begin(std::string_view key) {
    line_ += line_.empty() ? '{' : ',';
    line_ += '"';
    line_ += key;
    line_ += "\":";
  }

  std::string line_;
};

std::string rfc3339(WallTime at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
  const auto s = std::chrono::floor<std::chrono::seconds>(ms);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(s.count())), (ms - s).count());
}

}  // namespace

std::string to_json(const AccessRecord& record) {
  LineWriter line;
  line.text("time", rfc3339(record.at));
  line.text("id", record.id);
  line.text("method", record.method);
  line.text("path", record.path, kMaxPath);
  line.text("model", record.model);
  line.text("replica", record.replica);
  line.text("outcome", record.outcome);
  line.text("reason", record.reason);
  line.text("identity", record.identity);
  line.text("conversation", record.conversation);
  line.text("tenant", record.tenant);
  line.number("status", static_cast<std::uint64_t>(record.status < 0 ? 0 : record.status));
  line.number("upstream_status", record.upstream_status);
  line.text("error", record.error);
  line.number("bytes_in", record.bytes_in);
  line.number("bytes_out", record.bytes_out);
  line.seconds("queue_s", record.queue);
  line.seconds("ttfb_s", record.ttfb);
  line.seconds("total_s", record.total);
  line.number("prompt_tokens", record.prompt_tokens);
  line.number("cached_tokens", record.cached_tokens);
  line.number("output_tokens", record.output_tokens);
  line.list("edits", record.edits);
  line.flag("retried", record.retried);
  return std::move(line).finish();
}

}  // namespace berth::observe
