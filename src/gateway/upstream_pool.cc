#include "gateway/upstream_pool.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace berth::gateway {

namespace {

// A peer that closed shows EOF, one that broke the protocol shows bytes nobody asked for. TLS peers
// may have sent session tickets: for them only EOF and errors count.
bool looks_open(net::Stream& stream) {
  char byte = 0;
  const ssize_t n = ::recv(stream.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n > 0) return stream.is_tls();
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

std::shared_ptr<UpstreamConnection> UpstreamPool::take(const UpstreamServer& server,
                                                       Duration max_idle, Instant now) {
  const auto at = idle_.find(&server);
  if (at == idle_.end()) return nullptr;
  auto& list = at->second;
  while (!list.empty()) {
    std::shared_ptr<UpstreamConnection> connection = std::move(list.back());
    list.pop_back();
    if (now - connection->idle_since < max_idle && looks_open(connection->stream())) {
      connection->reused = true;
      return connection;
    }
    connection->close();
  }
  return nullptr;
}

void UpstreamPool::put(std::shared_ptr<UpstreamConnection> connection, Instant now) {
  auto& list = idle_[connection->server().get()];
  if (list.size() >= most_idle_) {
    connection->close();
    return;
  }
  connection->detach();
  connection->idle_since = now;
  list.push_back(std::move(connection));
}

void UpstreamPool::expire(Duration max_idle, Instant now) {
  for (auto& [server, list] : idle_) {
    const auto fresh = std::find_if(list.begin(), list.end(), [&](const auto& connection) {
      return now - connection->idle_since < max_idle;
    });
    std::for_each(list.begin(), fresh, [](const auto& connection) { connection->close(); });
    list.erase(list.begin(), fresh);
  }
  std::erase_if(idle_, [](const auto& one) { return one.second.empty(); });
}

void UpstreamPool::clear() {
  for (auto& [server, list] : idle_) {
    for (const auto& connection : list) connection->close();
  }
  idle_.clear();
}

std::size_t UpstreamPool::idle() const {
  std::size_t n = 0;
  for (const auto& [server, list] : idle_) n += list.size();
  return n;
}

}  // namespace berth::gateway
