#include "http/head_collector.h"

#include "http/chars.h"

namespace berth::http {

void HeadCollector::reset() {
  raw_.clear();
  lines_ = 0;
  line_begin_ = 0;
  after_cr_ = false;
  complete_ = false;
}

Accepted<std::size_t> HeadCollector::take(std::string_view in) {
  const auto room = limits_.bytes - raw_.size();
  const auto base = raw_.size();
  const auto offered = in.substr(0, room);
  raw_.append(offered);
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (auto seen = see(static_cast<unsigned char>(offered[i]), base + i); !seen) {
      return tl::unexpected(seen.error());
    }
    if (complete_) {
      raw_.resize(base + i + 1);
      return i + 1;
    }
  }
  if (in.size() > room) return tl::unexpected(too_large_);
  return offered.size();
}

Accepted<void> HeadCollector::see(unsigned char c, std::size_t position) {
  if (after_cr_) {
    if (c != '\n') return refuse("a CR in the head is not followed by LF");
    after_cr_ = false;
    return end_line(position);
  }
  if (c == '\n') return refuse("a line of the head ends with LF instead of CRLF");
  if (c == '\r') {
    after_cr_ = true;
    return {};
  }
  if (is_forbidden_in_head(c)) {
    return refuse(position == 0 && c == 0x16 ? "this port speaks plain HTTP, and TLS came"
                                             : "a control character in the head");
  }
  if (position == line_begin_ && (c == ' ' || c == '\t')) {
    return refuse(lines_ == 0 ? "white space before the start line"
                              : "a header line that begins with white space");
  }
  return {};
}

// `position` is that of the line's LF.
Accepted<void> HeadCollector::end_line(std::size_t position) {
  const auto line = std::string_view(raw_).substr(line_begin_, position - 1 - line_begin_);
  if (line.empty() && lines_ == 0) return refuse("an empty line instead of a start line");
  if (lines_ == 0) {
    if (auto checked = check_(line); !checked) return checked;
  }
  if (line.empty()) {
    complete_ = true;
    return {};
  }
  if (lines_ > limits_.headers) return tl::unexpected(too_large_);
  ++lines_;
  line_begin_ = position + 1;
  return {};
}

}  // namespace berth::http
