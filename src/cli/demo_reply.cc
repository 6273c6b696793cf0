#include "cli/demo_reply.h"

#include "cli/json_field.h"

namespace berth::cli {
namespace {

// An event of an answer is a few hundred bytes; a longer line is none of ours and is dropped.
constexpr std::size_t kLongestLine = 1 << 20;

}  // namespace

bool DemoReply::feed(std::string_view bytes) {
  const bool had_text = !text_.empty();
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    if (line_.size() < kLongestLine) line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    on_line(line_);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
  return !had_text && !text_.empty();
}

void DemoReply::on_line(std::string_view line) {
  constexpr std::string_view kData = "data:";
  if (!line.starts_with(kData)) return;
  const auto event = console::Json::parse(line.substr(kData.size()), nullptr, false);
  if (event.is_object()) on_event(event);
}

void DemoReply::on_event(const console::Json& event) {
  const std::string type = as_text(field(event, "type"));
  if (type == "message_start") {
    on_usage(field(field(event, "message"), "usage"));
  } else if (type == "content_block_delta") {
    const console::Json& text = field(field(event, "delta"), "text");
    if (text.is_string()) text_ += text.get_ref<const std::string&>();
  } else if (type == "message_delta") {
    on_usage(field(event, "usage"));
  } else if (type == "message_stop") {
    ended_ = true;
  } else if (type == "error") {
    error_ = as_text(field(field(event, "error"), "message"));
    if (error_.empty()) error_ = "an error without words";
  }
}

// input_tokens leaves the cached ones out where the engine tells those beside it.
void DemoReply::on_usage(const console::Json& usage) {
  const auto input = as_count(field(usage, "input_tokens"));
  if (!input) return;
  const auto read = as_count(field(usage, "cache_read_input_tokens"));
  const auto written = as_count(field(usage, "cache_creation_input_tokens"));
  prompt_tokens_ = *input + read.value_or(0) + written.value_or(0);
  if (read) cached_tokens_ = read;
}

}  // namespace berth::cli
