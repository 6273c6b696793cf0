#include "inspect/response_tap.h"

#include <string.h>  // memmem

#include "inspect/response_event.h"
#include "inspect/sse_splitter.h"

namespace berth::inspect {
namespace {

// Of one event, and of a JSON body. A response.completed event repeats the whole output.
constexpr std::size_t kMaxKeptBytes = 1u << 20;

bool contains(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

bool comes_before_prefill(std::string_view type) {
  return type == "ping" || type == "keepalive" || type == "response.created" ||
         type == "response.queued" || type == "response.in_progress";
}

}  // namespace

struct ResponseTap::Impl {
  Impl(ApiShape s, bool stream) : shape(s), event_stream(stream), splitter(kMaxKeptBytes) {}

  void take(const SseEvent& event);
  bool is_worth_reading(const SseEvent& event) const;
  void finish_json();

  ApiShape shape;
  bool event_stream;
  SseSplitter splitter;
  std::string body;  // of a JSON response
  bool body_dropped = false;
  std::string scratch;
  UsageCounts usage;
  bool began = false;
  bool prefilled = false;
  bool content_seen = false;
  TapResult result;
};

// After the first content only usage, errors and the end matter. The needles cannot stand inside a
// JSON string: its quotes would be escaped there.
bool ResponseTap::Impl::is_worth_reading(const SseEvent& event) const {
  if (!content_seen) return true;
  switch (shape) {
    case ApiShape::kAnthropic:
      return event.type != "content_block_delta";
    case ApiShape::kOpenAiResponses:
      return !event.type.ends_with(".delta");
    default:
      return contains(event.data, "\"usage\"") || contains(event.data, "\"error\"");
  }
}

void ResponseTap::Impl::take(const SseEvent& event) {
  began = true;
  if (event.data == "[DONE]") {
    result.ended = true;
    return;
  }
  if (event.data.empty() || !is_worth_reading(event)) return;
  const ResponseEvent read = read_response_event(shape, event.data, scratch);
  usage.update(read.usage);
  usage.tell(result);
  content_seen = content_seen || read.content;
  const bool error = read.error || event.type == "error";
  if (error) {
    result.stream_error = true;
    result.error_status = read.error_status;
  } else if (!comes_before_prefill(read.type) && !comes_before_prefill(event.type)) {
    prefilled = true;
  }
  if (read.type == "message_stop" || read.type == "response.completed" ||
      read.type == "response.incomplete" || read.type == "response.failed") {
    result.ended = true;
  }
}

void ResponseTap::Impl::finish_json() {
  if (body.empty() || body_dropped) return;
  const ResponseEvent read = read_response_event(shape, body, scratch);
  read.usage.tell(result);
  result.ended = read.whole;
}

ResponseTap::ResponseTap(ApiShape shape, bool event_stream)
    : impl_(std::make_unique<Impl>(shape, event_stream)) {}
ResponseTap::~ResponseTap() = default;

bool ResponseTap::feed(std::string_view bytes) {
  if (bytes.empty()) return false;
  const bool seen_before = impl_->content_seen;
  if (impl_->event_stream) {
    impl_->splitter.push(bytes);
    SseEvent event;
    while (impl_->splitter.next(event)) impl_->take(event);
  } else {
    impl_->content_seen = impl_->prefilled = true;
    impl_->body_dropped = impl_->body_dropped || impl_->body.size() + bytes.size() > kMaxKeptBytes;
    if (impl_->body_dropped) {
      impl_->body = std::string();
    } else {
      impl_->body.append(bytes);
    }
  }
  return impl_->content_seen && !seen_before;
}

void ResponseTap::finish() {
  if (!impl_->event_stream) return impl_->finish_json();
  SseEvent event;
  if (impl_->splitter.finish(event)) impl_->take(event);
}

const TapResult& ResponseTap::result() const { return impl_->result; }

bool ResponseTap::prefilled() const { return impl_->prefilled; }

bool ResponseTap::began() const { return impl_->began; }

bool ResponseTap::at_event_boundary() const {
  return impl_->event_stream && impl_->splitter.at_boundary();
}

}  // namespace berth::inspect
