#include "gateway/upstream_connection.h"

namespace berth::gateway {

UpstreamConnection::UpstreamConnection(net::Stream stream, std::shared_ptr<UpstreamServer> server)
    : stream_(std::move(stream)), server_(std::move(server)) {}

void UpstreamConnection::start_read(Wakeup* wakeup) {
  wakeup_ = wakeup;
  if (reading_ || ended_) return;
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  reading_ = true;
  stream_.read_some(net::asio::buffer(buffer_),
                    [self = shared_from_this()](net::error_code error, std::size_t bytes) {
                      self->reading_ = false;
                      self->ended_ = true;
                      self->error_ = error;
                      self->bytes_ = bytes;
                      if (self->wakeup_ != nullptr) self->wakeup_->notify();
                    });
}

net::IoResult UpstreamConnection::take_result() {
  ended_ = false;
  return {error_, bytes_};
}

}  // namespace berth::gateway
