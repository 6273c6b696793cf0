// Idle connections to servers, one pool a worker thread.
//
// uvicorn closes a connection that was idle for 5 s, so none is kept longer than
// timeouts.upstream_pool_idle (4 s by default): a pool that keeps them longer sends requests into
// closing connections. The newest is reused first, so that the surplus ages out. A server whose key
// or TLS settings were changed is another object, and finds none of the old connections.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "gateway/upstream_connection.h"

namespace berth::gateway {

class UpstreamPool {
 public:
  // limits.upstream_idle_connections; holds for what is put from now on.
  void set_most_idle(std::size_t per_server) { most_idle_ = per_server; }
  // An idle connection that still looks open, or null.
  std::shared_ptr<UpstreamConnection> take(const UpstreamServer& server, Duration max_idle,
                                           Instant now);
  // Gives back a connection whose response ended cleanly with nothing left unread.
  void put(std::shared_ptr<UpstreamConnection> connection, Instant now);
  // Closes what is idle too long. Called about once a second.
  void expire(Duration max_idle, Instant now);
  void clear();
  std::size_t idle() const;
  std::size_t servers() const { return idle_.size(); }

 private:
  std::size_t most_idle_ = 64;
  // Only servers with idle connections, which keep them alive.
  std::map<const UpstreamServer*, std::vector<std::shared_ptr<UpstreamConnection>>> idle_;
};

}  // namespace berth::gateway
