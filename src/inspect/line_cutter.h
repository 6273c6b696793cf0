// Cuts bytes into lines that end with CR, LF or CRLF, however the bytes are cut into reads.
#pragma once

#include <string>
#include <string_view>

namespace berth::inspect {

struct Line {
  std::string_view text;  // without its end; of an oversized line the first `cap` bytes
  bool oversized = false;
  bool borrowed = false;  // the text is in the pushed bytes, else in the cutter until its next call
};

class LineCutter {
 public:
  // Keeps at most `cap` bytes of a line.
  explicit LineCutter(std::size_t cap) : cap_(cap) {}

  // Takes the next bytes; next() must have returned false before.
  void push(std::string_view bytes) { rest_ = bytes; }
  // The next line whose end has come. Keeps a line's beginning for later.
  bool next(Line& line);
  // The line the end of the stream cut off, if any.
  bool last(Line& line);

  // True after some bytes of a line without its end, or after a bare CR, whose LF may still come.
  bool within_line() const { return after_cr_ || (!spent_ && !partial_.empty()); }

 private:
  void keep(std::string_view piece);

  std::size_t cap_;
  std::string_view rest_;
  std::string partial_;
  bool oversized_ = false;
  bool spent_ = false;  // partial_ was given and is to be dropped
  bool after_cr_ = false;
};

}  // namespace berth::inspect
