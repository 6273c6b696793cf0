// One request on its way through the model, as the coroutine that answers it sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine_http/engine_core.h"
#include "engine_http/wakeup.h"

namespace berth::engine_http {

// Owner: the request's coroutine. What is still running when it goes, or when the client leaves, is
// aborted in the model at once.
class Flight {
 public:
  explicit Flight(Call& call);
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Errors: the model's refusal. Call once.
  Result<void> start(engine::EngineRequest request);
  // Events that have come since the last call; waits for one. Empty once the client is gone.
  net::Task<std::vector<engine::Event>> events();
  // Waits that long, or until the client is gone.
  net::Task<void> pause(Duration how_long);
  // Waits until the client is gone.
  net::Task<void> hang();

 private:
  void on_event(const engine::Event& event);
  void abort();

  Call& call_;
  Wakeup wakeup_;
  RequestClock clock_;
  std::uint64_t prompt_tokens_ = 0;
  std::optional<engine::RequestId> running_;
  std::vector<engine::Event> pending_;
};

}  // namespace berth::engine_http
