// Cuts a stream of server-sent events into events, however its bytes are cut into reads.
//
// By the WHATWG rules (html.spec.whatwg.org, "Parsing an event stream"): a comment is skipped; data
// lines are joined by LF; a blank line ends the event; a leading byte order mark is skipped. Two
// differences: an event without data is given too, and so is, by finish(), one that the end of the
// stream cut off after its data, because servers forget the last blank line and clients read it
// anyway.
#pragma once

#include <string>
#include <string_view>

#include "inspect/line_cutter.h"

namespace berth::inspect {

struct SseEvent {
  std::string_view type;   // the `event` field, empty when there is none
  std::string_view data;   // empty when oversized
  bool oversized = false;  // the data is over the cap: skipped, not kept
};

class SseSplitter {
 public:
  // Keeps at most `cap` bytes of one event's data, and as many of one line.
  explicit SseSplitter(std::size_t cap) : cap_(cap), lines_(cap) {}

  // Takes the next bytes; next() must have returned false before.
  void push(std::string_view bytes) { lines_.push(bytes); }
  // Gives the next whole event. Its views live until the next call that is not const.
  bool next(SseEvent& event);
  // At the end of the stream: the event that was not closed, if it has data.
  bool finish(SseEvent& event);
  // Between two calls of push: true if nothing of an event has been seen since the last one ended.
  // False after a bare CR, whose LF may still come.
  bool at_boundary() const { return !pending_ && !lines_.within_line(); }

 private:
  void take_line(const Line& line);
  void add_data(std::string_view value, const Line& line);
  void own_data();
  void give(SseEvent& event);

  std::size_t cap_;
  LineCutter lines_;
  bool at_start_ = true;  // a byte order mark may come
  // The event under way.
  bool pending_ = false;
  bool has_data_ = false;
  bool oversized_ = false;
  std::string type_;
  std::string_view data_;  // in the pushed bytes, or all of kept_
  bool data_owned_ = false;
  std::string kept_;
};

}  // namespace berth::inspect
