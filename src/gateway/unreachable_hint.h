// Tells the control thread that a server refused a connection, so that it is checked at once.
//
// Owned by SharedState. The listener may be destroyed while hints are still in the control thread's
// queue: after disconnect() they are dropped.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "net/types.h"

namespace berth::gateway {

class UnreachableHint {
 public:
  using Listener = std::function<void(std::uint32_t server)>;

  // `listener` runs on `control`'s thread. Called before any other thread can tell(); `control`
  // outlives them.
  void connect(net::asio::io_context& control, Listener listener);
  // On the control thread: nothing is heard from here on, also of what was told before.
  void disconnect();
  // Any thread. Without a listener it does nothing.
  void tell(std::uint32_t server) const;

 private:
  net::asio::io_context* control_ = nullptr;
  std::shared_ptr<Listener> listener_;  // what it holds is touched on the control thread only
};

}  // namespace berth::gateway
