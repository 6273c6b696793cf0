// HAProxy with a stick table: what an operator can have today without any router for language
// models.
//
//   balance leastconn
//   stick-table type string len 64 size 100k expire 30m
//   stick on req.hdr(x-claude-code-session-id)
//   option redispatch
//   default-server maxconn 32            # max_num_seqs: what the engine runs at once
//
// A session without an entry goes to the server with fewest connections, served and queued; of
// equals to the one whose count changed longest ago. Then the table holds it there. A server at
// maxconn is skipped by new sessions; its own sessions wait in its queue, however idle the others
// are. Where all are full new sessions wait in the backend's queue. A server that has a place free
// takes the older of the two heads. When a server goes down its queue is given out again, and its
// sessions move for good: the entry follows the request. An entry lives, to the minute, for 30
// after its last use.
//
// Read in: haproxy/haproxy, doc/configuration.txt (balance leastconn, stick on, maxconn, option
// redispatch), src/lb_fwlc.c (the order of equals), src/queue.c (pendconn_process_next_strm: the
// older head) and src/stream.c (process_sticking_rules: an entry for a stopped server is passed
// over).
//
// Simplified: subagents follow their session because they send its header; `timeout queue` is
// longer than any client waits; a refused connection is sent elsewhere at once, not after three
// tries a second apart. The table's size is not reached.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/policy.h"

namespace berth::sim {

class HaProxy final : public Policy {
 public:
  explicit HaProxy(const PolicyContext& context);

  Answer on_request(const PolicyRequest& request, Instant now) override;
  Answer on_not_started(RequestNumber id, Instant now) override;
  void on_finished(RequestNumber id, const routing::Usage&, Instant now) override;
  void on_gone(RequestNumber id, Instant now) override;
  void on_replica(routing::ReplicaIndex replica, routing::ReplicaState state, Instant now) override;
  void on_added(const routing::ReplicaSpec& spec, Instant now) override;
  std::optional<Instant> next_tick() const override { return next_tick_; }
  void on_tick(Instant now) override;
  void take_released(std::vector<Release>& out) override;
  std::vector<std::string> notes(Instant now) const override;

 private:
  struct Pending {
    RequestNumber id = 0;
    std::string session;  // empty: none
    std::uint64_t arrived = 0;
  };
  using Queue = std::deque<Pending>;
  struct Server {
    routing::ReplicaSpec spec;
    bool up = true;
    std::uint32_t served = 0;
    std::uint64_t changed = 0;  // when `served` last did
    Queue queue;
  };
  struct Stuck {
    routing::ReplicaIndex server = 0;
    Instant used{};
  };
  struct Open {
    routing::ReplicaIndex server = 0;
    Pending request;
  };

  Answer route(Pending request, Instant now);
  std::optional<routing::ReplicaIndex> stuck_to(const std::string& session) const;
  std::optional<routing::ReplicaIndex> least_connections() const;
  bool has_room(const Server& server) const;
  bool any_up() const;
  Send send(Pending request, routing::ReplicaIndex to, Instant now);
  std::optional<Open> close(RequestNumber id);
  void drop_waiting(RequestNumber id);
  // Lets queued requests onto the server while it has places.
  void fill(routing::ReplicaIndex index, Instant now);

  std::uint32_t maxconn_;
  std::vector<Server> servers_;
  Queue backend_queue_;
  std::unordered_map<std::string, Stuck> table_;
  std::unordered_map<RequestNumber, Open> open_;
  std::vector<Release> released_;
  std::optional<Instant> next_tick_ = Instant{};
  std::uint64_t arrivals_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t queued_at_server_ = 0;
  std::uint64_t queued_at_backend_ = 0;
};

}  // namespace berth::sim
