#include "inspect/line_cutter.h"

#include <algorithm>

namespace berth::inspect {
namespace {

// The first CR or LF. Two memchr are faster than one find_first_of.
std::size_t find_line_end(std::string_view bytes) {
  const auto lf = bytes.find('\n');
  const auto cr = bytes.substr(0, lf).find('\r');
  return std::min(lf, cr);
}

}  // namespace

bool LineCutter::next(Line& line) {
  if (spent_) {
    partial_.clear();
    oversized_ = spent_ = false;
  }
  if (after_cr_ && !rest_.empty()) {
    if (rest_.front() == '\n') rest_.remove_prefix(1);
    after_cr_ = false;
  }
  const auto end = find_line_end(rest_);
  const std::string_view piece = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    keep(piece);
    rest_ = {};
    return false;
  }
  after_cr_ = rest_[end] == '\r';
  rest_.remove_prefix(end + 1);
  if (partial_.empty()) {
    line = {piece.substr(0, cap_), piece.size() > cap_, true};
    return true;
  }
  keep(piece);
  line = {partial_, oversized_, false};
  spent_ = true;
  return true;
}

bool LineCutter::last(Line& line) {
  if (spent_ || partial_.empty()) return false;
  line = {partial_, oversized_, false};
  spent_ = true;
  return true;
}

void LineCutter::keep(std::string_view piece) {
  const std::size_t room = cap_ - partial_.size();
  if (piece.size() > room) oversized_ = true;
  partial_.append(piece.substr(0, room));
}

}  // namespace berth::inspect
