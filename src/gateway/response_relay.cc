#include "gateway/response_relay.h"

#include <algorithm>
#include <boost/asio/error.hpp>

#include "inspect/error_message.h"
#include "inspect/replies.h"

namespace berth::gateway {

namespace {

constexpr std::size_t kMaxLateErrorBytes = 64 * 1024;
// How long the end of the framing may take after the API's own end: engines send both at once.
constexpr Duration kReadOut = std::chrono::milliseconds(500);

bool is_event_stream(const http::ResponseHead& head) {
  constexpr std::string_view kType = "text/event-stream";
  const std::string_view type = head.headers.get("content-type");
  return type.size() >= kType.size() && http::iequals(type.substr(0, kType.size()), kType);
}

http::HeadLimits head_limits(std::size_t bytes) {
  http::HeadLimits limits;
  limits.bytes = bytes;
  return limits;
}

}  // namespace

ResponseRelay::ResponseRelay(const Clock& clock, UpstreamConnection& upstream, ClientWriter& writer,
                             Wakeup& wakeup, const bool& client_gone, RelayOptions options,
                             RelayEvents events)
    : clock_(clock),
      upstream_(upstream),
      writer_(writer),
      wakeup_(wakeup),
      client_gone_(client_gone),
      options_(std::move(options)),
      events_(std::move(events)),
      parser_(head_limits(options_.head_bytes), /*to_head=*/false) {
  if (options_.remove_usage_chunk) filter_.emplace();
}

net::Task<RelayResult> ResponseRelay::run() {
  last_byte_ = last_sent_ = clock_.now();
  co_await loop();
  if (result_.end == RelayEnd::kClientGone && end_passed()) co_await read_out();
  if (tap_) {
    tap_->finish();
    result_.tap = tap_->result();
  }
  if (filter_) result_.usage_removed = filter_->removed();
  upstream_.detach();
  if (!result_.connection_reusable) upstream_.close();
  co_return std::move(result_);
}

net::Task<void> ResponseRelay::loop() {
  for (;;) {
    upstream_.start_read(&wakeup_);
    if (!upstream_.read_ended()) co_await wakeup_.wait_until(next_due());
    if (client_gone_) {
      result_.end = RelayEnd::kClientGone;
      co_return;
    }
    if (upstream_.read_ended()) {
      const net::IoResult read = upstream_.take_result();
      if (read.bytes > 0) {
        const bool more = co_await on_bytes(upstream_.data());
        if (!more) co_return;
      }
      if (read.error) {
        co_await on_closed(read.error);
        co_return;
      }
      continue;
    }
    const Instant now = clock_.now();
    if (now >= last_byte_ + silence_allowed()) {
      Error error{ErrorCode::kUpstreamTimeout,
                  "the replica was silent for longer than the timeout allows"};
      co_await fail_with(std::move(error));
      co_return;
    }
    if (keep_alive_possible() && now >= last_sent_ + options_.keep_alive_after) {
      const bool sent = co_await send_keep_alive();
      if (!sent) co_return;
    }
  }
}

// The client closed when it had read the API's own end of the stream, which is how some end every
// turn. The response counts as whole, and the connection is kept if its last chunk comes soon.
net::Task<void> ResponseRelay::read_out() {
  result_.end = RelayEnd::kWhole;
  const Instant due = clock_.now() + kReadOut;
  while (!parser_.complete()) {
    upstream_.start_read(&wakeup_);
    if (!upstream_.read_ended()) co_await wakeup_.wait_until(due);
    if (!upstream_.read_ended()) {
      if (clock_.now() >= due) co_return;
      continue;
    }
    const net::IoResult read = upstream_.take_result();
    spans_.clear();
    if (read.bytes > 0 && !parser_.feed(upstream_.data(), spans_)) co_return;
    for (const std::string_view span : spans_) tap_->feed(span);
    if (read.error) co_return;
  }
  result_.connection_reusable = parser_.reusable();
}

// vLLM sends the head of a stream before it queues the request, so that the wait for the first
// token, long as it may be, comes after the head.
Duration ResponseRelay::silence_allowed() const {
  const bool waiting = !parser_.head_ready() || (answers_with_success() && !result_.prefilled);
  return waiting ? options_.first_byte_timeout : options_.idle_timeout;
}

bool ResponseRelay::answers_with_success() const {
  return result_.status >= 200 && result_.status < 300;
}

Instant ResponseRelay::next_due() const {
  const Instant silent = last_byte_ + silence_allowed();
  if (!keep_alive_possible()) return silent;
  return std::min(silent, last_sent_ + options_.keep_alive_after);
}

bool ResponseRelay::keep_alive_possible() const {
  if (!options_.stream || options_.keep_alive_after <= Duration::zero()) return false;
  if (!parser_.head_ready() || late_error_due_) return true;
  // Later ones go between two events of a stream, never into the middle of one, and never into a
  // body whose length was promised or whose bytes are encoded.
  return event_stream_ && insertable_ && tap_ && tap_->at_event_boundary();
}

net::Task<bool> ResponseRelay::on_bytes(std::string_view bytes) {
  upstream_.server()->counts->response_bytes.fetch_add(bytes.size(), std::memory_order_relaxed);
  spans_.clear();
  const bool had_head = parser_.head_ready();
  Result<void> fed = parser_.feed(bytes, spans_);
  if (!fed) {
    co_await fail_with(std::move(fed.error()));
    co_return false;
  }
  // A head that comes in drips is no answer: silence lasts until it is whole.
  if (!parser_.head_ready()) co_return true;
  last_byte_ = clock_.now();
  if (!had_head) on_head();
  on_body();
  if (parser_.complete()) on_end();
  const bool sent = co_await send();
  co_return sent && !parser_.complete();
}

net::Task<bool> ResponseRelay::send() {
  if (writer_.pending()) last_sent_ = clock_.now();
  const bool sent = co_await writer_.flush();
  if (!sent) result_.end = RelayEnd::kClientGone;
  co_return sent;
}

void ResponseRelay::on_head() {
  const http::ResponseHead& head = parser_.head();
  result_.status = head.status;
  event_stream_ = is_event_stream(head);
  events_.on_head();
  const bool success = answers_with_success();
  if (success) tap_.emplace(options_.shape, event_stream_);
  encoded_ = head.headers.has("content-encoding");
  insertable_ = head.framing != http::BodyFraming::kContentLength && !encoded_;
  // Taking bytes out needs a framing that does not promise their number.
  if (!event_stream_ || !insertable_) filter_.reset();
  if (!keep_alive_first_) {
    writer_.begin(head, options_.extra);
    return;
  }
  late_error_due_ = !(success && event_stream_ && !encoded_);
}

// An encoded stream cannot be read: there its first byte has to do.
void ResponseRelay::note_prefill() {
  if (result_.prefilled || !tap_ || !(tap_->prefilled() || (encoded_ && !spans_.empty()))) return;
  result_.prefilled = true;
  events_.on_prefill();
}

void ResponseRelay::on_body() {
  filtered_.clear();
  for (const std::string_view span : spans_) {
    if (late_error_due_) {
      late_error_.append(span.substr(0, kMaxLateErrorBytes - late_error_.size()));
      continue;
    }
    const bool first = tap_ && tap_->feed(span);
    if (first && event_stream_) result_.first_content = clock_.now();
    if (filter_) {
      filter_->feed(span, filtered_);
    } else {
      writer_.add(span);
    }
  }
  if (filter_) writer_.add(filtered_);
  note_prefill();
}

// What the client is told when the server's answer came too late to be passed on as it was.
std::string ResponseRelay::late_error_message() const {
  if (result_.status < 400)
    return "the replica did not answer with the event stream that was asked for";
  std::string message = inspect::error_message_of(late_error_);
  if (message.empty())
    message = "the replica answered with status " + std::to_string(result_.status);
  return message;
}

void ResponseRelay::on_end() {
  result_.end = RelayEnd::kWhole;
  result_.connection_reusable = parser_.reusable();
  if (late_error_due_) {
    result_.error = Error{ErrorCode::kUpstreamError, late_error_message()};
    tail_ = inspect::stream_error_event(options_.shape, result_.status,
                                        error_code_name(result_.error->code),
                                        result_.error->message, options_.request_id);
  } else if (filter_) {
    filter_->finish(tail_);
  }
  writer_.add(tail_);
  writer_.end();
}

net::Task<void> ResponseRelay::on_closed(net::error_code why) {
  const bool orderly = why == net::asio::error::eof;
  if (orderly && parser_.head_ready() && parser_.finish()) {
    on_end();
    co_await send();
    co_return;
  }
  Error error{ErrorCode::kUpstreamReset,
              "the replica closed the connection before its response was whole"};
  if (!parser_.started() && !writer_.started()) {
    result_.end = RelayEnd::kNoByte;
    result_.error = std::move(error);
    co_return;
  }
  co_await fail_with(std::move(error));
}

// Where a keep-alive committed the 200 before the server said anything, the client can only be told
// in the stream. Anywhere else a broken response is passed on as what it is: a connection that
// breaks.
net::Task<void> ResponseRelay::fail_with(Error error) {
  if (keep_alive_first_ && (!parser_.head_ready() || late_error_due_)) {
    const int status = inspect::http_status(error.code);
    tail_ = inspect::stream_error_event(options_.shape, status, error_code_name(error.code),
                                        error.message, options_.request_id);
    writer_.add(tail_);
    writer_.end();
    co_await writer_.flush();
  }
  if (writer_.started()) writer_.close_after();
  result_.end = RelayEnd::kBroken;
  result_.error = std::move(error);
}

net::Task<bool> ResponseRelay::send_keep_alive() {
  const bool began = tap_ && tap_->began();
  const std::string event = inspect::keep_alive_event(options_.shape, options_.model, began);
  ++result_.keep_alives;
  if (!writer_.started()) {
    keep_alive_first_ = true;
    writer_.begin_event_stream(options_.extra);
  }
  writer_.add(event);
  co_return co_await send();
}

}  // namespace berth::gateway
