// One binding: a conversation and its home. About 180 bytes and its key.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "routing/packed_key.h"
#include "routing/replica_set.h"
#include "routing/types.h"

namespace berth::routing {

// How a binding stands in the table: active ones are never evicted, idle ones go first.
enum class Standing : std::uint8_t {
  kIdle,      // not used within the resident window
  kResident,  // used within it, no request open
  kActive,    // has open requests
};

// A home that a move left, for the case that the new one does not start the request.
struct LeftHome {
  ReplicaIndex home = kNoReplica;  // kNoReplica: none was left
  std::uint64_t tokens = 0;  // Binding::home_tokens, home_cache and last_moved before the move
  std::uint32_t cache = 0;
  Instant last_moved{};
};

// After changing any field call BindingTable::settle, which keeps the replicas' counts right.
struct Binding {
  Binding(PackedKey k, ReplicaIndex h) : key(std::move(k)), home(h) {}

  PackedKey key;
  Instant bound_at{};
  Instant last_used{};
  Instant last_moved{};
  std::uint64_t tokens = 0;       // of its context now, wherever it was computed
  std::uint64_t home_tokens = 0;  // of its context when home last served it
  ReplicaIndex home;
  ReplicaIndex stand_in = kNoReplica;       // serves it while home is down
  ReplicaIndex last_overflow = kNoReplica;  // holds most of its prefix, too
  std::uint32_t home_cache = 0;             // Replica::cache of home when it last served it
  std::uint32_t stand_in_cache = 0;         // and of the stand-in
  std::uint32_t turns = 0;                  // served, not those that failed
  std::uint32_t active = 0;                 // open requests
  std::uint16_t busy_streak = 0;            // turns in a row that found home past the threshold
  IdentitySource identity = IdentitySource::kNone;
  bool tokens_exact = false;
  bool with_tools = false;  // its turns offer tools

  // Where its KV cache is being kept up: home, or the stand-in.
  ReplicaIndex lives_at() const { return stand_in == kNoReplica ? home : stand_in; }
  std::uint32_t cache_there() const { return stand_in == kNoReplica ? home_cache : stand_in_cache; }
  // Believed to be in a cache: a conversation none of whose requests succeeded has left nothing
  // there.
  bool has_kv() const { return turns > 0 || active > 0; }
  // Never reused in its table.
  std::uint64_t id() const { return id_; }
  const ConversationHashes& hashes() const { return hashes_; }

 private:
  friend class BindingTable;
  std::uint64_t id_ = 0;
  std::uint64_t session_hash_ = 0;  // under the table's own key
  ConversationHashes hashes_;
  // The order of eviction: changed by settle only.
  Standing standing_ = Standing::kIdle;
  Instant ordered_at_{};
  // What it adds to the counts of replicas now.
  ReplicaIndex bound_counted_ = kNoReplica;
  ReplicaIndex stand_in_counted_ = kNoReplica;
  ReplicaIndex overflow_counted_ = kNoReplica;
  ReplicaIndex resident_counted_ = kNoReplica;
  std::uint32_t cache_counted_ = 0;
  std::uint64_t tokens_counted_ = 0;
};

}  // namespace berth::routing
