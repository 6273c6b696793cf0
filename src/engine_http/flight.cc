#include "engine_http/flight.h"

#include <utility>

namespace berth::engine_http {

Flight::Flight(Call& call)
    : call_(call), wakeup_(call.core->executor), clock_(call.core->driver.now()) {
  ++call_.core->in_flight;
  call_.responder->on_gone([this] {
    abort();
    wakeup_.wake();
  });
}

Flight::~Flight() {
  abort();
  call_.responder->on_gone(nullptr);
  --call_.core->in_flight;
}

void Flight::abort() {
  if (running_) call_.core->driver.abort(*std::exchange(running_, std::nullopt));
}

Result<void> Flight::start(engine::EngineRequest request) {
  prompt_tokens_ = request.prompt_tokens;
  // The kernel spreads a server's connections over its API processes.
  request.api_process = static_cast<std::uint32_t>(std::hash<std::string>{}(call_.request->peer));
  engine::RequestId id = 0;
  auto sink = [this](const engine::Event& event) { on_event(event); };
  clock_ = RequestClock(call_.core->driver.now());
  const Result<std::uint32_t> rank =
      call_.core->driver.submit(std::move(request), std::move(sink), id);
  if (!rank) return tl::unexpected<Error>(rank.error());
  running_ = id;
  call_.record->rank = *rank;
  call_.record->prompt_tokens = prompt_tokens_;
  return {};
}

void Flight::on_event(const engine::Event& event) {
  call_.core->metrics.on_event(*call_.record->rank, clock_, event, prompt_tokens_);
  call_.record->cached_tokens = event.cached_tokens;
  if (event.kind == engine::EventKind::kToken) {
    call_.record->output_tokens = event.index + 1;
  } else {
    running_.reset();
  }
  pending_.push_back(event);
  wakeup_.wake();
}

net::Task<std::vector<engine::Event>> Flight::events() {
  while (pending_.empty() && !call_.responder->gone()) co_await wakeup_.wait();
  if (call_.responder->gone()) co_return std::vector<engine::Event>{};
  co_return std::exchange(pending_, {});
}

net::Task<void> Flight::pause(Duration how_long) {
  const auto until = std::chrono::steady_clock::now() + how_long;
  while (!call_.responder->gone()) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= Duration::zero()) co_return;
    co_await wakeup_.wait_for(left);
  }
}

net::Task<void> Flight::hang() {
  while (!call_.responder->gone()) co_await wakeup_.wait();
}

}  // namespace berth::engine_http
