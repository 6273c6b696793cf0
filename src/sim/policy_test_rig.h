// A policy by name with a gateway's bookkeeping around it, for the tests of its rule: requests of a
// session or of a text go in, the replica comes out.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/policies.h"
#include "sim/policy.h"

namespace berth::sim {

struct RigSettings {
  std::uint32_t replicas = 4;
  std::uint32_t max_num_seqs = 32;
  std::uint32_t block_size = 16;
  std::uint64_t seed = 1;
};

inline routing::ReplicaSpec spec_of(std::uint32_t server) {
  return {{server, std::nullopt}, "gpu" + std::to_string(server) + ":8000", 36'000};
}

// Text of a test: every letter is one block, chained as the engine chains them.
inline BlockList blocks_of(const std::string& letters) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t before = 0;
  for (const char letter : letters) {
    before = before * 1'000'003 + static_cast<unsigned char>(letter);
    hashes.push_back(before);
  }
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(hashes));
}

class PolicyRig {
 public:
  using Where = std::optional<routing::ReplicaIndex>;  // none: refused, or held

  explicit PolicyRig(std::string_view name, const RigSettings& settings = {})
      : settings_(settings) {
    PolicyContext context;
    for (std::uint32_t i = 0; i < settings.replicas; ++i) context.replicas.push_back(spec_of(i));
    context.max_num_seqs = settings.max_num_seqs;
    context.block_size = settings.block_size;
    context.seed = settings.seed;
    policy_ = (*find_policy(name))->make(context);
  }

  Policy& policy() { return *policy_; }

  Where session(const std::string& name, const std::string& agent = "") {
    PolicyRequest request;
    request.prompt_tokens = 1'000;
    request.facts.conversation = routing::ConversationKey{"t", "m", name, agent};
    request.conversation = std::hash<std::string>()(name + "/" + agent);
    return ask(std::move(request));
  }
  Where text(const std::string& letters) {
    PolicyRequest request;
    request.prompt_tokens = static_cast<std::uint32_t>(letters.size()) * settings_.block_size;
    request.blocks = blocks_of(letters);
    return ask(std::move(request));
  }

  Where ask(PolicyRequest request) {
    request.id = ++last_;
    request.sent_at = now_;
    const Where where = where_of(policy_->on_request(request, now_));
    if (where) open_[last_] = *where;
    collect();
    return where;
  }
  // The request's server refused the connection.
  Where not_started(RequestNumber id) {
    open_.erase(id);
    const Where where = where_of(policy_->on_not_started(id, now_));
    if (where) open_[id] = *where;
    collect();
    return where;
  }
  void finish(RequestNumber id) {
    open_.erase(id);
    policy_->on_finished(id, {}, now_);
    collect();
  }
  void gone(RequestNumber id) {
    open_.erase(id);
    policy_->on_gone(id, now_);
    collect();
  }
  void finish_all() {
    while (!open_.empty()) finish(open_.begin()->first);
  }

  void lose(routing::ReplicaIndex replica) {
    policy_->on_replica(replica, routing::ReplicaState::kDown, now_);
    collect();
  }
  void back(routing::ReplicaIndex replica) {
    policy_->on_replica(replica, routing::ReplicaState::kUp, now_);
    collect();
  }
  void add(std::uint32_t server) {
    policy_->on_added(spec_of(server), now_);
    collect();
  }
  void pass(Duration time) {
    now_ += time;
    while (policy_->next_tick() && *policy_->next_tick() <= now_) policy_->on_tick(now_);
    collect();
  }

  RequestNumber last() const { return last_; }
  bool was_held() const { return held_; }
  const std::map<RequestNumber, routing::ReplicaIndex>& open() const { return open_; }
  std::uint32_t in_flight(routing::ReplicaIndex replica) const {
    std::uint32_t count = 0;
    for (const auto& [id, where] : open_) count += where == replica ? 1 : 0;
    return count;
  }
  // Held requests that were let go since the last call, and where to.
  std::vector<std::pair<RequestNumber, routing::ReplicaIndex>> released() {
    return std::exchange(released_, {});
  }

 private:
  Where where_of(const Answer& answer) {
    held_ = std::holds_alternative<Hold>(answer);
    if (const Send* to = std::get_if<Send>(&answer)) return to->target.server;
    return std::nullopt;
  }
  void collect() {
    std::vector<Release> out;
    policy_->take_released(out);
    for (const Release& release : out) {
      open_[release.id] = release.to.target.server;
      released_.emplace_back(release.id, release.to.target.server);
    }
  }

  RigSettings settings_;
  std::unique_ptr<Policy> policy_;
  Instant now_{std::chrono::seconds(1)};
  RequestNumber last_ = 0;
  bool held_ = false;
  std::map<RequestNumber, routing::ReplicaIndex> open_;
  std::vector<std::pair<RequestNumber, routing::ReplicaIndex>> released_;
};

}  // namespace berth::sim
