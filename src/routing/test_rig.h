// For the tests of this folder: a router with replicas and a clock moved by hand, and short ways to
// send turns.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "routing/router.h"

namespace berth::routing {

inline ConversationKey key_of(std::string session, std::string agent = "") {
  return {"tenant", "model", std::move(session), std::move(agent)};
}

inline RequestFacts turn_of(const std::string& session, const std::string& agent = "") {
  RequestFacts facts;
  facts.conversation = key_of(session, agent);
  facts.identity = IdentitySource::kClaudeCode;
  facts.body_bytes = 40'000;
  return facts;
}

inline RequestFacts subagent_of(const std::string& session, const std::string& agent) {
  RequestFacts facts = turn_of(session, agent);
  facts.parent = key_of(session);
  return facts;
}

// One router under test. send() fails the test on a Refused.
class Rig {
 public:
  explicit Rig(std::size_t replicas, Settings settings = {}, std::uint64_t seed = 1)
      : router(settings, seed) {
    for (std::size_t i = 0; i < replicas; ++i) add_server();
  }

  ReplicaIndex add_server(std::uint64_t kv_tokens = 0) {
    const auto server = servers_++;
    const std::string label = "gpu" + std::to_string(server) + ":8000";
    return router.add_replica({Target{server, std::nullopt}, label, kv_tokens}, now());
  }

  void add_ranks(int count) {
    const auto server = servers_++;
    for (int rank = 0; rank < count; ++rank) {
      const std::string label = "gpu" + std::to_string(server) + ":8000#" + std::to_string(rank);
      router.add_replica({Target{server, rank}, label, 0}, now());
    }
  }

  Instant now() const { return clock.now(); }
  void pass(Duration time) {
    clock.advance(time);
    router.on_tick(now());
  }

  Decision ask(const RequestFacts& facts) { return router.on_request(facts, now()); }

  Dispatch send(const RequestFacts& facts) {
    const Decision decision = ask(facts);
    const Dispatch* dispatch = std::get_if<Dispatch>(&decision);
    EXPECT_NE(dispatch, nullptr) << "refused";
    return dispatch == nullptr ? Dispatch{} : *dispatch;
  }

  void finish(const Dispatch& dispatch, std::uint64_t prompt_tokens = 10'000) {
    router.on_first_byte(dispatch.ticket, now());
    router.on_finished(dispatch.ticket, {200, {prompt_tokens, 0, 200}, true}, now());
  }

  void fail(const Dispatch& dispatch, int status) {
    router.on_finished(dispatch.ticket, {status, {}, true}, now());
  }

  // One whole turn: sent and finished, nothing in flight after it.
  Dispatch turn(const RequestFacts& facts, std::uint64_t prompt_tokens = 10'000) {
    const Dispatch dispatch = send(facts);
    finish(dispatch, prompt_tokens);
    return dispatch;
  }

  ReplicaIndex home_of(const std::string& session, const std::string& agent = "") {
    for (const Explanation& one : router.explain(session, now())) {
      if (one.key.agent == agent) return one.home;
    }
    ADD_FAILURE() << "no binding of " << session << "/" << agent;
    return 0;
  }

  // Requests that stay in flight at the home of a new conversation called `name`; answers their
  // dispatches.
  std::vector<Dispatch> busy(const std::string& name, std::size_t count) {
    std::vector<Dispatch> open;
    for (std::size_t i = 0; i < count; ++i) open.push_back(send(turn_of(name)));
    return open;
  }

  ReplicaSnapshot replica(ReplicaIndex index) { return router.snapshot(now()).replicas.at(index); }

  std::uint64_t outcomes(Outcome outcome) {
    return router.snapshot(now()).outcomes.at(static_cast<std::size_t>(outcome));
  }

  ManualClock clock;
  ModelRouter router;

 private:
  std::uint32_t servers_ = 0;
};

// Matches a dispatch by outcome and reason, with a readable message.
inline ::testing::AssertionResult went(const Dispatch& dispatch, Outcome outcome, Reason reason) {
  if (dispatch.outcome == outcome && dispatch.reason == reason) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "outcome " << outcome_name(dispatch.outcome)
                                       << ", reason " << reason_name(dispatch.reason);
}

}  // namespace berth::routing
