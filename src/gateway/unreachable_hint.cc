#include "gateway/unreachable_hint.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace berth::gateway {

void UnreachableHint::connect(net::asio::io_context& control, Listener listener) {
  control_ = &control;
  listener_ = std::make_shared<Listener>(std::move(listener));
}

void UnreachableHint::disconnect() {
  if (listener_) *listener_ = nullptr;
}

void UnreachableHint::tell(std::uint32_t server) const {
  if (!listener_) return;
  net::asio::post(*control_, [listener = listener_, server] {
    if (*listener) (*listener)(server);
  });
}

}  // namespace berth::gateway
