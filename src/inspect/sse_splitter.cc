#include "inspect/sse_splitter.h"

namespace berth::inspect {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// No API has a longer event type.
constexpr std::size_t kMaxTypeBytes = 128;

}  // namespace

bool SseSplitter::next(SseEvent& event) {
  Line line;
  while (lines_.next(line)) {
    if (!line.text.empty()) {
      take_line(line);
    } else if (pending_) {
      give(event);
      return true;
    }
  }
  own_data();
  return false;
}

bool SseSplitter::finish(SseEvent& event) {
  Line line;
  if (lines_.last(line)) take_line(line);
  if (!has_data_) return false;
  give(event);
  return true;
}

void SseSplitter::take_line(const Line& line) {
  std::string_view text = line.text;
  if (at_start_ && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  at_start_ = false;
  if (text.empty() || text.front() == ':') return;
  if (!pending_) {
    type_.clear();
    kept_.clear();
    data_ = {};
    has_data_ = oversized_ = data_owned_ = false;
    pending_ = true;
  }
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") add_data(value, line);
  if (name == "event") type_ = value.substr(0, kMaxTypeBytes);
}

void SseSplitter::add_data(std::string_view value, const Line& line) {
  if (!has_data_ && !line.oversized) {
    data_ = value;
    data_owned_ = false;
    if (!line.borrowed) own_data();
  } else {
    own_data();
    oversized_ = oversized_ || line.oversized || kept_.size() + 1 + value.size() > cap_;
    if (oversized_) {
      kept_.clear();
    } else {
      kept_.append("\n").append(value);
    }
    data_ = kept_;
    data_owned_ = true;
  }
  has_data_ = true;
}

// Moves the data out of bytes that are about to go.
void SseSplitter::own_data() {
  if (!pending_ || data_owned_) return;
  kept_.assign(data_);
  data_ = kept_;
  data_owned_ = true;
}

void SseSplitter::give(SseEvent& event) {
  event = {type_, data_, oversized_};
  pending_ = has_data_ = false;
}

}  // namespace berth::inspect
