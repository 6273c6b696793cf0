// The bindings of one model: bounded, found by key, session or shown hash, ordered for eviction.
//
// A full table evicts the longest idle binding; only when every entry has open requests does
// insert() fail. The table also keeps each replica's bound, resident and resident-token counts, as
// the sum of what its bindings add: that happens in settle(), and nowhere else.
//
// Costs: find O(1); insert, settle, erase O(log n). Pointers stay valid until the binding is
// erased. Buckets for `capacity` are reserved at once, so no request pays for a rehash.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "routing/binding.h"
#include "routing/replica_set.h"

namespace berth::routing {

struct BindingLimits {
  std::size_t capacity = 0;
  Duration ttl{};              // an idle binding older than this is forgotten
  Duration resident_window{};  // used this recently = resident
};

class BindingTable {
 public:
  // `replicas` must outlive the table. `seed` keys the hash tables.
  BindingTable(ReplicaSet& replicas, BindingLimits limits, std::uint64_t seed);
  ~BindingTable();
  BindingTable(const BindingTable&) = delete;
  BindingTable& operator=(const BindingTable&) = delete;

  // Called with each binding just before it goes, for whatever reason.
  void on_erase(std::function<void(const Binding&)> listener);

  // Null when unknown, or idle for longer than the ttl.
  Binding* find(const PackedKey& key, Instant now);
  // The same without a clock: also one that is overdue.
  Binding* find(const PackedKey& key);
  const Binding* find(const PackedKey& key) const;
  // A new binding, last used now; `key` must not be there. Null when every entry is active.
  Binding* insert(PackedKey key, ConversationHashes hashes, ReplicaIndex home, Instant now);
  // Brings order and counts in line with the binding's fields.
  void settle(Binding& binding, Instant now);
  void erase(Binding& binding);

  // Forgets what has been idle too long and lets residents lapse, oldest first, at most `at_most`
  // steps.
  void expire(Instant now, std::size_t at_most);
  // A smaller capacity takes effect over the next calls of expire().
  void set_limits(BindingLimits limits);

  std::size_t size() const;
  // Of the session in every tenant and model, main conversation first, then by agent.
  std::vector<const Binding*> of_session(std::string_view session) const;
  // One whose hashes() has it, as the conversation or as the session; null when none has.
  const Binding* find_by_hash(std::uint64_t hash) const;
  // Visits some `at_most` bindings from `position` (0: the first); answers where to go on, 0 at the
  // end. Between two calls bindings may come and go: those that stay are visited exactly once.
  std::size_t visit_part(std::size_t position, std::size_t at_most,
                         const std::function<void(const Binding&)>& visit) const;

 private:
  struct Index;
  void recount(Binding& binding);
  bool is_resident(const Binding& binding) const;
  void move_count(ReplicaIndex& counted, ReplicaIndex now, std::uint64_t Replica::* count);
  bool evict_one();

  ReplicaSet& replicas_;
  BindingLimits limits_;
  std::uint64_t seed_;
  std::uint64_t next_id_ = 1;
  std::function<void(const Binding&)> on_erase_;
  std::unique_ptr<Index> index_;
};

}  // namespace berth::routing
