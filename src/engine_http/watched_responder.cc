#include "engine_http/watched_responder.h"

#include <utility>

namespace berth::engine_http {

WatchedResponder::WatchedResponder(http::Responder& inner) : inner_(inner) {
  inner_.on_gone([this] { left(); });
}

WatchedResponder::~WatchedResponder() { inner_.on_gone(nullptr); }

void WatchedResponder::left() {
  if (whole_ || ending_ || gone_) return;
  gone_ = true;
  if (const auto callback = std::exchange(callback_, nullptr)) callback();
}

void WatchedResponder::note(std::string_view body) {
  hash_.add(body);
  bytes_ += body.size();
}

net::Task<bool> WatchedResponder::reply(int status, std::string content_type, std::string body,
                                        ExtraHeaders extra) {
  status_ = status;
  note(body);
  const bool sent =
      co_await inner_.reply(status, std::move(content_type), std::move(body), std::move(extra));
  if (!sent) left();
  whole_ = true;
  co_return sent;
}

net::Task<bool> WatchedResponder::start(int status, std::string content_type, ExtraHeaders extra) {
  status_ = status;
  const bool sent = co_await inner_.start(status, std::move(content_type), std::move(extra));
  if (!sent) left();
  co_return sent;
}

net::Task<bool> WatchedResponder::write(std::string chunk) {
  note(chunk);
  const bool sent = co_await inner_.write(std::move(chunk));
  if (!sent) left();
  co_return sent;
}

net::Task<bool> WatchedResponder::finish() {
  const bool sent = co_await inner_.finish();
  if (!sent) left();
  whole_ = true;
  co_return sent;
}

net::Task<bool> WatchedResponder::finish_with(std::string chunk) {
  ending_ = true;
  const bool sent = co_await write(std::move(chunk));
  ending_ = false;
  whole_ = sent;
  if (!sent) {
    left();
    co_return false;
  }
  co_return co_await finish();
}

void WatchedResponder::abort() {
  inner_.abort();
  left();
}

void WatchedResponder::on_gone(std::function<void()> callback) {
  if (gone_ && callback) {
    callback();
  } else {
    callback_ = std::move(callback);
  }
}

}  // namespace berth::engine_http
