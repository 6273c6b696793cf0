#include "fleet/fleet.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "base/check.h"
#include "fleet/server_watch.h"

namespace berth::fleet {

struct Fleet::Impl {
  net::asio::io_context& io;
  FleetTimings timings;
  Listener& listener;
  std::vector<std::shared_ptr<ServerWatch>> watches;  // null: removed
};

Fleet::Fleet(net::asio::io_context& io, FleetTimings timings, Listener& listener)
    : impl_(new Impl{io, timings, listener, {}}) {}

Fleet::~Fleet() { stop(); }

std::uint32_t Fleet::add(ServerSettings settings) {
  const auto index = static_cast<std::uint32_t>(impl_->watches.size());
  auto watch = std::make_shared<ServerWatch>(impl_->io, index, std::move(settings), impl_->timings,
                                             impl_->listener);
  watch->start();
  impl_->watches.push_back(std::move(watch));
  return index;
}

void Fleet::remove(std::uint32_t server) {
  BERTH_CHECK(server < impl_->watches.size());
  auto watch = std::exchange(impl_->watches[server], nullptr);
  if (watch) watch->stop();
}

void Fleet::hint_unreachable(std::uint32_t server) {
  net::asio::post(impl_->io, [impl = impl_, server] {
    BERTH_CHECK(server < impl->watches.size());
    if (impl->watches[server]) impl->watches[server]->check_now();
  });
}

void Fleet::stop() {
  for (auto& watch : impl_->watches) {
    if (watch) watch->stop();
    watch = nullptr;
  }
}

}  // namespace berth::fleet
