#include "sim_http/answer_reader.h"

#include <nlohmann/json.hpp>

namespace berth::sim_http {

bool AnswerReader::feed(std::string_view bytes) {
  const bool had_text = !text_.empty();
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    on_line(line_);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
  return !had_text && !text_.empty();
}

void AnswerReader::on_line(std::string_view line) {
  constexpr std::string_view kData = "data: ";
  if (!line.starts_with(kData)) return;
  line.remove_prefix(kData.size());
  if (line.starts_with("[DONE]")) {
    ended_ = true;
    return;
  }
  const auto event = nlohmann::json::parse(line, nullptr, false);
  if (!event.is_object()) return;
  if (const auto usage = event.find("usage"); usage != event.end() && usage->is_object()) {
    prompt_tokens_ = usage->value("prompt_tokens", std::uint64_t{0});
    output_tokens_ = usage->value("completion_tokens", std::uint64_t{0});
  }
  const auto choices = event.find("choices");
  if (choices == event.end() || choices->empty()) return;
  const auto& delta = choices->front().value("delta", nlohmann::json::object());
  if (const auto text = delta.find("content"); text != delta.end() && text->is_string()) {
    text_ += text->get_ref<const std::string&>();
  }
}

}  // namespace berth::sim_http
