// Collects the raw bytes of one message head and refuses, at the first byte that shows it, what a
// strict reader must not try to understand: a bare LF or CR, a control character, a folded or
// indented line, an empty first line, a head beyond its limits.
//
// Byte by byte or all at once, the same bytes give the same verdict. Pure: no I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/refusal.h"

namespace berth::http {

struct HeadLimits {
  std::size_t bytes = std::size_t{64} * 1024;
  std::size_t headers = 256;
};

class HeadCollector {
 public:
  // Judges the start line (without CRLF) as soon as it is whole.
  using StartLineCheck = Accepted<void> (*)(std::string_view line);

  // `too_large` is what a head beyond its limits is refused with.
  HeadCollector(HeadLimits limits, StartLineCheck check, Refusal too_large)
      : limits_(limits), check_(check), too_large_(too_large) {}

  // Counts for the bytes still to come.
  void set_limits(HeadLimits limits) { limits_ = limits; }

  // Takes bytes up to the end of the head; returns how many were taken.
  Accepted<std::size_t> take(std::string_view in);

  bool complete() const { return complete_; }
  bool empty() const { return raw_.empty(); }
  // The bytes so far; when complete, the whole head with its final CRLF CRLF.
  std::string_view raw() const { return raw_; }
  void reset();

 private:
  Accepted<void> see(unsigned char c, std::size_t position);
  Accepted<void> end_line(std::size_t position);

  HeadLimits limits_;
  StartLineCheck check_;
  Refusal too_large_;
  std::string raw_;
  std::size_t lines_ = 0;       // whole lines seen
  std::size_t line_begin_ = 0;  // of the current line, in raw_
  bool after_cr_ = false;
  bool complete_ = false;
};

}  // namespace berth::http
