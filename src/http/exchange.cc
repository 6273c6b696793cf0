#include "http/exchange.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "http/chars.h"
#include "http/head_writer.h"
#include "http/response_parser.h"
#include "net/connect.h"
#include "net/deadline.h"
#include "net/stream.h"

namespace berth::http {
namespace {

constexpr std::size_t kReadSize = std::size_t{16} * 1024;

Result<std::string> head_bytes(const Url& url, const ClientRequest& request) {
  const std::string target = url.prefix + request.path;
  bool clean = is_token(request.method) && target.substr(0, 1) == "/";
  for (const char c : target) clean = clean && c >= 0x21 && c <= 0x7e && c != '#';
  for (const auto& [name, value] : request.headers)
    clean = clean && is_token(name) && is_header_value(value);
  if (!clean)
    return fail(ErrorCode::kConfig, "the request has a method, path or header that cannot be sent");

  RequestHead head;
  head.method = request.method;
  for (const auto& [name, value] : request.headers) head.headers.add(name, value);
  const std::array<Header, 1> close = {Header{"Connection", "close"}};
  std::string out;
  write_request_head(out, head, target, url.authority(), request.body.size(), HeadEdits{{}, close});
  return out;
}

}  // namespace

struct Exchange::Impl {
  Impl(net::Stream s, std::string w, Duration t, bool to_head)
      : stream(std::move(s)),
        where(std::move(w)),
        timeout(t),
        deadline(stream.get_executor(), [this] { stream.close(); }),
        parser({}, to_head) {}

  net::Task<Result<void>> send(std::string head, std::string body);
  net::Task<Result<void>> read_once();
  Error explain(net::error_code ec, std::string_view doing) const;

  net::Stream stream;
  std::string where;
  Duration timeout;
  net::Deadline deadline;
  ResponseParser parser;
  std::array<char, kReadSize> buffer;
  BodySpans spans;  // of the last read, not handed out yet
};

Error Exchange::Impl::explain(net::error_code ec, std::string_view doing) const {
  if (deadline.expired()) {
    return {ErrorCode::kUpstreamTimeout,
            fmt::format("{} did not answer within {:g} s", where, to_seconds(timeout))};
  }
  return {ErrorCode::kUpstreamReset, fmt::format("{} {}: {}", doing, where, ec.message())};
}

net::Task<Result<void>> Exchange::Impl::send(std::string head, std::string body) {
  const std::array<net::asio::const_buffer, 2> pieces = {net::asio::buffer(head),
                                                         net::asio::buffer(body)};
  const auto written = co_await stream.write_all(pieces);
  if (written.error) co_return tl::unexpected(explain(written.error, "sending to"));
  co_return Result<void>{};
}

net::Task<Result<void>> Exchange::Impl::read_once() {
  spans.clear();
  net::asio::mutable_buffer into(buffer.data(), buffer.size());
  const auto got = co_await stream.read_some(into);
  Result<void> parsed;
  if (!got.error) {
    parsed = parser.feed({buffer.data(), got.bytes}, spans);
  } else if (got.error == net::asio::error::eof) {
    parsed = parser.finish();
  } else {
    co_return tl::unexpected(explain(got.error, "reading from"));
  }
  if (!parsed) parsed.error().message = fmt::format("{}: {}", where, parsed.error().message);
  co_return parsed;
}

Exchange::Exchange(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Exchange::~Exchange() = default;

const ResponseHead& Exchange::head() const { return impl_->parser.head(); }

void Exchange::close() noexcept { impl_->stream.close(); }

net::Task<Result<std::unique_ptr<Exchange>>> Exchange::begin(Url url, ClientRequest request,
                                                             boost::asio::ssl::context* tls) {
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  auto head = head_bytes(url, request);
  if (!head) co_return tl::unexpected(head.error());
  if (url.tls && tls == nullptr)
    co_return fail(ErrorCode::kConfig, "an https URL without TLS settings");

  net::ConnectTarget target;
  target.host = url.host;
  target.port = url.port;
  target.tls = url.tls ? tls : nullptr;
  auto connected = co_await net::connect(std::move(target), request.timeout);
  if (!connected) co_return tl::unexpected(connected.error());

  auto impl = std::make_unique<Impl>(std::move(*connected), url.authority(), request.timeout,
                                     request.method == "HEAD");
  impl->deadline.expires_at(deadline);
  auto done = co_await impl->send(std::move(*head), std::move(request.body));
  while (done && !impl->parser.head_ready()) done = co_await impl->read_once();
  if (!done) co_return tl::unexpected(done.error());
  co_return std::unique_ptr<Exchange>(new Exchange(std::move(impl)));
}

net::Task<Result<bool>> Exchange::read(std::string& piece) {
  piece.clear();
  auto* impl = impl_.get();
  while (impl->spans.empty()) {
    if (impl->parser.complete()) co_return false;
    auto done = co_await impl->read_once();
    if (!done) co_return tl::unexpected(done.error());
  }
  for (const auto span : impl->spans) piece.append(span);
  impl->spans.clear();
  co_return true;
}

}  // namespace berth::http
