#include "gateway/in_flight.h"

#include "base/check.h"

namespace berth::gateway {

InFlight::InFlight(std::shared_ptr<Model> model, std::shared_ptr<UpstreamServer> server,
                   routing::Ticket ticket, const Clock* clock)
    : model_(std::move(model)), ticket_(ticket), clock_(clock) {
  moved_to(std::move(server));
}

InFlight& InFlight::operator=(InFlight&& other) noexcept {
  if (this == &other) return *this;
  leave();
  model_ = std::move(other.model_);
  server_ = std::move(other.server_);
  ticket_ = other.ticket_;
  clock_ = other.clock_;
  other.model_.reset();
  other.server_.reset();
  return *this;
}

void InFlight::leave_server() {
  if (!server_) return;
  server_->counts->in_flight.fetch_sub(1, std::memory_order_relaxed);
  server_.reset();
}

void InFlight::leave() {
  leave_server();
  if (!model_) return;
  const auto model = std::move(model_);
  model_.reset();
  model->with_router([&](routing::ModelRouter& router) { router.on_gone(ticket_, clock_->now()); });
}

void InFlight::first_byte() {
  BERTH_CHECK(model_);
  model_->with_router(
      [&](routing::ModelRouter& router) { router.on_first_byte(ticket_, clock_->now()); });
}

// Gives the server's count back; the ticket is the caller's to close.
std::shared_ptr<Model> InFlight::close() {
  BERTH_CHECK(model_);
  leave_server();
  return std::exchange(model_, nullptr);
}

void InFlight::finish(const routing::Finish& finish) {
  close()->with_router(
      [&](routing::ModelRouter& router) { router.on_finished(ticket_, finish, clock_->now()); });
}

void InFlight::abandoned() {
  close()->with_router([&](routing::ModelRouter& router) {
    router.on_unsent(ticket_, routing::Outcome::kAbandoned, clock_->now());
  });
}

void InFlight::refused() {
  close()->with_router([&](routing::ModelRouter& router) {
    router.on_unsent(ticket_, routing::Outcome::kRefused, clock_->now());
  });
}

routing::Decision InFlight::not_started() {
  BERTH_CHECK(model_);
  leave_server();
  routing::Decision decision = model_->with_router(
      [&](routing::ModelRouter& router) { return router.on_not_started(ticket_, clock_->now()); });
  if (std::holds_alternative<routing::Refused>(decision)) model_.reset();
  return decision;
}

void InFlight::moved_to(std::shared_ptr<UpstreamServer> server) {
  leave_server();
  server_ = std::move(server);
  server_->counts->in_flight.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace berth::gateway
