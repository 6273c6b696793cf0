// What the policies of others share: which replicas are up, how many requests are in flight on
// each, and where each open request went. A rival is then its rule alone: choose().
//
// Counts are exact and taken at the decision, as a proxy's own are. A refused connection takes the
// replica out until the health check says that it is back, and the request goes by the same rule to
// another: published routers retry too (vllm-router and SGLang five times, after 50 ms and more;
// HAProxy three times, after a second each), and here they lose no time by it.
//
// Owned by one run, one thread, time passed in, as policy.h says.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/policy.h"

namespace berth::sim {

class Rival : public Policy {
 public:
  explicit Rival(const PolicyContext& context);

  Answer on_request(const PolicyRequest& request, Instant now) final;
  Answer on_not_started(RequestNumber id, Instant now) final;
  void on_finished(RequestNumber id, const routing::Usage&, Instant) final { close(id); }
  void on_gone(RequestNumber id, Instant) final { close(id); }
  void on_replica(routing::ReplicaIndex replica, routing::ReplicaState state, Instant now) override;
  void on_added(const routing::ReplicaSpec& spec, Instant now) override;

 protected:
  struct Replica {
    routing::ReplicaSpec spec;
    std::uint32_t in_flight = 0;
    bool up = true;
  };

  // The rule: an up replica, or none if there is none. Called once for each time a request is sent.
  virtual std::optional<routing::ReplicaIndex> choose(const PolicyRequest& request) = 0;

  const std::vector<Replica>& replicas() const { return replicas_; }
  std::vector<routing::ReplicaIndex> up() const;
  // Of those up the one with fewest requests in flight; of equals the first.
  std::optional<routing::ReplicaIndex> least_in_flight() const;

 private:
  struct Open {
    routing::ReplicaIndex replica;
    PolicyRequest request;  // to choose again if it could not start
  };
  void close(RequestNumber id);

  std::vector<Replica> replicas_;
  std::unordered_map<RequestNumber, Open> open_;
};

}  // namespace berth::sim
