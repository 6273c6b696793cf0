#include "http/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "http/read_ahead.h"
#include "http/request_parser.h"
#include "net/deadline.h"

namespace berth::http {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// A Content-Length is only a promise: this much address space is set aside on it, the rest as bytes
// come. What no byte was written to takes no memory.
constexpr std::size_t kReserveOnPromise = std::size_t{1} * 1024 * 1024;
// What linger() reads at most.
constexpr std::size_t kLingerBytes = std::size_t{8} * 1024 * 1024;

}  // namespace

struct RequestReader::Impl {
  Impl(net::Stream& s, ReaderLimits l)
      : stream(s),
        limits(l),
        input(std::make_shared<ReadAhead>(s, l.head_bytes)),
        parser({l.head_bytes}) {}

  tl::unexpected<Error> refused(const Refusal& refusal) {
    refusal_status = refusal.status;
    return tl::unexpected(refusal.error());
  }
  tl::unexpected<Error> no_bytes(ReadAhead::Event event, bool started, std::string_view doing) {
    if (event == ReadAhead::Event::kEnded) {
      refusal_status = 0;
      return fail(ErrorCode::kClientGone,
                  started ? "the client left while sending a request" : "the client left");
    }
    refusal_status = started ? 408 : 0;
    return fail(ErrorCode::kRequestTimeout, std::string(doing));
  }
  tl::unexpected<Error> body_too_large() {
    refusal_status = 413;
    return fail(ErrorCode::kBodyTooLarge,
                fmt::format("the request body exceeds {}", limits.body_limit));
  }

  net::Task<bool> wait_for_request();
  net::Task<Result<RequestHead>> next_head();
  net::Task<Result<void>> read_body(std::string* body, std::size_t padding, const BodyGrant* grant);
  net::Task<Result<void>> send_continue();
  Result<void> take_body(std::string& body, const BodyGrant* grant);

  net::Stream& stream;
  ReaderLimits limits;
  std::shared_ptr<ReadAhead> input;
  RequestParser parser;
  BodySpans spans;
  int refusal_status = 0;
};

net::Task<bool> RequestReader::Impl::wait_for_request() {
  input->on_end(nullptr);
  const auto deadline = std::chrono::steady_clock::now() + limits.idle;
  const auto event = co_await input->wait(deadline, false);
  co_return event == ReadAhead::Event::kBytes;
}

net::Task<Result<RequestHead>> RequestReader::Impl::next_head() {
  if (parser.head_complete() && !parser.complete()) {
    refusal_status = 0;
    co_return fail(ErrorCode::kInternal, "the body of the last request was not read");
  }
  parser.reset();
  input->on_end(nullptr);
  auto deadline = std::chrono::steady_clock::now() + limits.idle;
  while (!parser.head_complete()) {
    const bool was_started = parser.head_started();
    const auto event = co_await input->wait(deadline, false);
    if (event != ReadAhead::Event::kBytes) {
      co_return no_bytes(event, was_started, "the head of the request did not come in time");
    }
    auto taken = parser.take_head(input->available());
    if (!taken) co_return refused(taken.error());
    input->take(*taken);
    if (!was_started) deadline = std::chrono::steady_clock::now() + limits.head;
  }
  input->watch();
  co_return parser.head();
}

net::Task<Result<void>> RequestReader::Impl::send_continue() {
  const std::array<net::asio::const_buffer, 1> pieces = {net::asio::buffer(kContinue)};
  net::Deadline bound(stream.get_executor(), [this] { stream.close(); });
  bound.expires_after(limits.body);
  const auto written = co_await stream.write_all(pieces);
  if (written.error)
    co_return fail(ErrorCode::kClientGone, "the client left before sending its body");
  co_return Result<void>{};
}

Result<void> RequestReader::Impl::take_body(std::string& body, const BodyGrant* grant) {
  spans.clear();
  auto taken = parser.take_body(input->available(), spans);
  if (!taken) return refused(taken.error());
  std::size_t size = body.size();
  for (const auto span : spans) size += span.size();
  if (size > limits.body_bytes) return body_too_large();
  if (grant != nullptr && !(*grant)(size)) {
    return refused({503, ErrorCode::kOverloaded, "there is no memory for the request body now"});
  }
  for (const auto span : spans) body.append(span);
  input->take(*taken);
  return {};
}

net::Task<Result<void>> RequestReader::Impl::read_body(std::string* body, std::size_t padding,
                                                       const BodyGrant* grant) {
  body->clear();
  const auto& head = parser.head();
  if (head.content_length > limits.body_bytes) co_return body_too_large();
  body->reserve(std::min<std::size_t>(head.content_length, kReserveOnPromise) + padding);

  if (head.expect_continue && !parser.complete() && input->available().empty()) {
    auto sent = co_await send_continue();
    if (!sent) co_return sent;
  }
  const auto whole_by = std::chrono::steady_clock::now() + limits.whole_body;
  while (!parser.complete()) {
    const auto next_by = std::chrono::steady_clock::now() + limits.body;
    const auto event = co_await input->wait(std::min(next_by, whole_by), true);
    if (event != ReadAhead::Event::kBytes) {
      co_return no_bytes(event, true, "the body of the request did not come in time");
    }
    if (auto taken = take_body(*body, grant); !taken) co_return taken;
  }
  body->reserve(body->size() + padding);
  input->watch();
  co_return Result<void>{};
}

RequestReader::RequestReader(net::Stream& stream, ReaderLimits limits)
    : impl_(std::make_unique<Impl>(stream, limits)) {}

RequestReader::~RequestReader() { impl_->input->detach(); }

void RequestReader::set_limits(ReaderLimits limits) {
  impl_->limits = limits;
  impl_->parser.set_limits({limits.head_bytes});
  impl_->input->set_keep_bytes(limits.head_bytes);
}

net::Task<bool> RequestReader::wait_for_request() { return impl_->wait_for_request(); }
net::Task<Result<RequestHead>> RequestReader::next_head() { return impl_->next_head(); }

net::Task<Result<void>> RequestReader::read_body(std::string& body, std::size_t padding,
                                                 const BodyGrant* grant) {
  return impl_->read_body(&body, padding, grant);
}

bool RequestReader::body_read() const {
  return !impl_->parser.head_complete() || impl_->parser.complete();
}
int RequestReader::refusal_status() const { return impl_->refusal_status; }
bool RequestReader::gone() const { return impl_->input->ended(); }
void RequestReader::on_gone(std::function<void()> callback) {
  impl_->input->on_end(std::move(callback));
}

net::Task<void> RequestReader::linger(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  impl_->stream.close_sending_side();
  for (std::size_t dropped = 0; dropped < kLingerBytes;) {
    const auto event = co_await impl_->input->wait(deadline, true);
    if (event != ReadAhead::Event::kBytes) co_return;
    const auto count = impl_->input->available().size();
    impl_->input->take(count);
    dropped += count;
  }
}

}  // namespace berth::http
