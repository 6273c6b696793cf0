#include <string.h>  // memmem

#include <algorithm>
#include <utility>

#include "inspect/response_event.h"
#include "inspect/response_tap.h"
#include "inspect/sse_splitter.h"

namespace berth::inspect {
namespace {

// A usage chunk has a few hundred bytes. A longer event passes.
constexpr std::size_t kMaxHeldBytes = 16u << 10;

bool contains(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

// What is decided here must not depend on how the bytes were cut: what lets an unfinished event
// pass must also let the whole one pass.
bool cannot_be_usage_chunk(std::string_view event) {
  return event.size() > kMaxHeldBytes || contains(event, "\"choices\":[{") ||
         contains(event, "\"choices\": [{");
}

}  // namespace

struct UsageChunkFilter::Impl {
  // Where the bytes of the line just ended went: the LF of a CRLF goes there too.
  enum class Way : std::uint8_t { kHeld, kPassed, kDropped };

  void add(std::string_view bytes, std::string& out);
  void end_line(bool blank, std::string& out);
  void end_event(std::string& out);
  void release(std::string& out);
  bool is_usage_chunk();

  std::string held;            // the event under way, from its first byte
  bool passing = false;        // the event under way is not the one: its rest passes at once
  std::size_t line_bytes = 0;  // of the line under way
  bool after_cr = false;
  Way way = Way::kPassed;
  bool removed = false;
  std::string scratch;
};

void UsageChunkFilter::Impl::add(std::string_view bytes, std::string& out) {
  (passing ? out : held).append(bytes);
  way = passing ? Way::kPassed : Way::kHeld;
}

void UsageChunkFilter::Impl::release(std::string& out) {
  out.append(held);
  held.clear();
  way = Way::kPassed;
}

void UsageChunkFilter::Impl::end_line(bool blank, std::string& out) {
  if (blank) return end_event(out);
  // A comment before the event is no part of it.
  if (!passing && held.front() == ':') {
    passing = held.size() > kMaxHeldBytes;
    release(out);
  }
}

void UsageChunkFilter::Impl::end_event(std::string& out) {
  if (!passing && is_usage_chunk()) {
    removed = true;
    held.clear();
    way = Way::kDropped;
  } else {
    release(out);
  }
  passing = false;
}

bool UsageChunkFilter::Impl::is_usage_chunk() {
  if (!contains(held, "\"usage\"") || cannot_be_usage_chunk(held)) return false;
  SseSplitter splitter(kMaxHeldBytes);
  splitter.push(held);
  SseEvent event;
  if (!splitter.next(event) && !splitter.finish(event)) return false;
  const ResponseEvent read = read_response_event(ApiShape::kOpenAiChat, event.data, scratch);
  return read.has_usage && read.choices_empty;
}

UsageChunkFilter::UsageChunkFilter() : impl_(std::make_unique<Impl>()) {}
UsageChunkFilter::~UsageChunkFilter() = default;
bool UsageChunkFilter::removed() const { return impl_->removed; }

void UsageChunkFilter::feed(std::string_view bytes, std::string& out) {
  Impl& my = *impl_;
  if (my.after_cr && !bytes.empty()) {
    my.after_cr = false;
    if (bytes.front() == '\n') {
      if (my.way == Impl::Way::kHeld) my.held += '\n';
      if (my.way == Impl::Way::kPassed) out += '\n';
      bytes.remove_prefix(1);
    }
  }
  while (!bytes.empty()) {
    const auto lf = bytes.find('\n');
    const auto end = std::min(lf, bytes.substr(0, lf).find('\r'));
    if (end == std::string_view::npos) {
      my.line_bytes += bytes.size();
      my.add(bytes, out);
      break;
    }
    const bool crlf = bytes.substr(end).starts_with("\r\n");
    const std::size_t size = end + (crlf ? 2 : 1);
    const bool blank = std::exchange(my.line_bytes, 0) + end == 0;
    my.after_cr = bytes[end] == '\r' && size == bytes.size() && !crlf;
    my.add(bytes.substr(0, size), out);
    bytes.remove_prefix(size);
    my.end_line(blank, out);
  }
  if (!my.passing && cannot_be_usage_chunk(my.held)) {
    my.release(out);
    my.passing = true;
  }
}

void UsageChunkFilter::finish(std::string& out) {
  if (!impl_->held.empty()) impl_->end_event(out);
}

}  // namespace berth::inspect
