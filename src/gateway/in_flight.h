// One dispatched request, counted. The only place where in-flight counts are taken and given back.
//
// Movable, not copyable; whoever holds it owns the count. It is closed exactly once: by finish()
// when the response ended, or by the destructor (the client left, or an error path) on every other
// way out.
#pragma once

#include <memory>
#include <utility>

#include "gateway/model.h"

namespace berth::gateway {

class InFlight {
 public:
  InFlight() = default;
  InFlight(std::shared_ptr<Model> model, std::shared_ptr<UpstreamServer> server,
           routing::Ticket ticket, const Clock* clock);
  InFlight(InFlight&& other) noexcept { *this = std::move(other); }
  InFlight& operator=(InFlight&& other) noexcept;
  ~InFlight() { leave(); }

  bool open() const { return model_ != nullptr; }
  void first_byte();
  void finish(const routing::Finish& finish);
  // The client left before the request was sent.
  void abandoned();
  // Berth itself could not send the request: it counts as refused, and not on the replica.
  void refused();
  // The replica provably did not start the request: asks the router where to go instead. On
  // Dispatch this object stands for the new attempt (call moved_to with its server); on Refused it
  // is closed.
  routing::Decision not_started();
  void moved_to(std::shared_ptr<UpstreamServer> server);

 private:
  void leave();
  std::shared_ptr<Model> close();
  void leave_server();

  std::shared_ptr<Model> model_;
  std::shared_ptr<UpstreamServer> server_;
  routing::Ticket ticket_ = 0;
  const Clock* clock_ = nullptr;
};

}  // namespace berth::gateway
