#include "fleet/fleet.h"

#include <boost/asio/post.hpp>
#include <map>
#include <utility>

#include "base/check.h"
#include "fleet/server_watch.h"

namespace berth::fleet {

struct Fleet::Impl {
  net::asio::io_context& io;
  FleetTimings timings;
  Listener& listener;
  std::map<std::uint32_t, std::shared_ptr<ServerWatch>> watches;
  std::uint32_t next = 0;
};

Fleet::Fleet(net::asio::io_context& io, FleetTimings timings, Listener& listener)
    : impl_(new Impl{io, timings, listener, {}, 0}) {}

Fleet::~Fleet() { stop(); }

std::uint32_t Fleet::add(ServerSettings settings) {
  const std::uint32_t index = impl_->next++;
  auto watch = std::make_shared<ServerWatch>(impl_->io, index, std::move(settings), impl_->timings,
                                             impl_->listener);
  watch->start();
  impl_->watches.emplace(index, std::move(watch));
  return index;
}

void Fleet::change(std::uint32_t server, ServerSettings settings) {
  const auto watch = impl_->watches.find(server);
  BERTH_CHECK(watch != impl_->watches.end());
  watch->second->change(std::move(settings));
}

void Fleet::remove(std::uint32_t server) {
  const auto watch = impl_->watches.extract(server);
  BERTH_CHECK(!watch.empty());
  watch.mapped()->stop();
}

std::size_t Fleet::watched() const { return impl_->watches.size(); }

void Fleet::hint_unreachable(std::uint32_t server) {
  net::asio::post(impl_->io, [impl = impl_, server] {
    const auto watch = impl->watches.find(server);
    if (watch != impl->watches.end()) watch->second->check_now();
  });
}

void Fleet::stop() {
  for (const auto& [server, watch] : impl_->watches) watch->stop();
  impl_->watches.clear();
}

}  // namespace berth::fleet
