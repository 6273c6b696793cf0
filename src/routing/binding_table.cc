#include "routing/binding_table.h"

#include <algorithm>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#include <boost/tuple/tuple.hpp>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "routing/stable_hash.h"

namespace berth::routing {
namespace mi = boost::multi_index;

struct BindingTable::Index {
  using Order = std::tuple<Standing, Instant, std::uint64_t>;

  struct KeyOf {
    using result_type = std::string;
    const std::string& operator()(const Binding& b) const { return b.key.bytes(); }
  };
  struct SessionOf {
    using result_type = std::uint64_t;
    std::uint64_t operator()(const Binding& b) const { return b.session_hash_; }
  };
  struct SessionShownAs {
    using result_type = std::uint64_t;
    std::uint64_t operator()(const Binding& b) const { return b.hashes_.session; }
  };
  struct ShownAs {
    using result_type = std::uint64_t;
    std::uint64_t operator()(const Binding& b) const { return b.hashes_.conversation; }
  };
  struct OrderOf {
    using result_type = Order;
    Order operator()(const Binding& b) const { return {b.standing_, b.ordered_at_, b.id_}; }
  };
  struct SeededHash {
    HashKey key;
    std::size_t operator()(const std::string& bytes) const { return sip_hash(key, bytes); }
  };
  struct AsIs {
    std::size_t operator()(std::uint64_t hash) const { return hash; }
  };
  struct ByKey {};
  struct BySession {};
  struct ByShownSession {};
  struct ByShown {};
  struct ByOrder {};

  using Container = mi::multi_index_container<
      Binding, mi::indexed_by<mi::hashed_unique<mi::tag<ByKey>, KeyOf, SeededHash>,
                              mi::hashed_non_unique<mi::tag<BySession>, SessionOf, AsIs>,
                              mi::hashed_non_unique<mi::tag<ByShownSession>, SessionShownAs, AsIs>,
                              mi::hashed_non_unique<mi::tag<ByShown>, ShownAs, AsIs>,
                              mi::ordered_unique<mi::tag<ByOrder>, OrderOf>>>;

  explicit Index(std::uint64_t seed)
      : bindings(boost::make_tuple(
            boost::make_tuple(std::size_t{0}, KeyOf(), SeededHash{table_key(seed)},
                              std::equal_to<std::string>()),
            Container::nth_index<1>::type::ctor_args(), Container::nth_index<2>::type::ctor_args(),
            Container::nth_index<3>::type::ctor_args(),
            Container::nth_index<4>::type::ctor_args())) {}

  // Fields outside the three keys may change at any time; the keys only through reorder().
  static Binding& writable(const Binding& binding) { return const_cast<Binding&>(binding); }

  void reorder(Binding& binding, Standing standing, Instant at) {
    auto& order = bindings.get<ByOrder>();
    order.modify(order.iterator_to(binding), [&](Binding& b) {
      b.standing_ = standing;
      b.ordered_at_ = at;
    });
  }

  // The oldest binding of that standing, or null.
  Binding* oldest(Standing standing) {
    auto& order = bindings.get<ByOrder>();
    const auto first = order.lower_bound(Order{standing, Instant::min(), 0});
    if (first == order.end() || first->standing_ != standing) return nullptr;
    return &writable(*first);
  }

  Container bindings;
};

BindingTable::BindingTable(ReplicaSet& replicas, BindingLimits limits, std::uint64_t seed)
    : replicas_(replicas), seed_(seed), index_(std::make_unique<Index>(seed)) {
  set_limits(limits);
}

BindingTable::~BindingTable() = default;

void BindingTable::on_erase(std::function<void(const Binding&)> listener) {
  on_erase_ = std::move(listener);
}

void BindingTable::set_limits(BindingLimits limits) {
  limits_ = limits;
  index_->bindings.get<Index::ByKey>().reserve(limits.capacity);
  index_->bindings.get<Index::BySession>().reserve(limits.capacity);
  index_->bindings.get<Index::ByShownSession>().reserve(limits.capacity);
  index_->bindings.get<Index::ByShown>().reserve(limits.capacity);
}

Binding* BindingTable::find(const PackedKey& key, Instant now) {
  Binding* binding = find(key);
  if (binding == nullptr || binding->active > 0) return binding;
  if (now - binding->last_used < limits_.ttl) return binding;
  erase(*binding);
  return nullptr;
}

Binding* BindingTable::find(const PackedKey& key) {
  const auto& by_key = index_->bindings.get<Index::ByKey>();
  const auto found = by_key.find(key.bytes());
  return found == by_key.end() ? nullptr : &Index::writable(*found);
}

const Binding* BindingTable::find(const PackedKey& key) const {
  const auto& by_key = index_->bindings.get<Index::ByKey>();
  const auto found = by_key.find(key.bytes());
  return found == by_key.end() ? nullptr : &*found;
}

Binding* BindingTable::insert(PackedKey key, ConversationHashes hashes, ReplicaIndex home,
                              Instant now) {
  if (size() >= limits_.capacity && !evict_one()) return nullptr;
  Binding fresh(std::move(key), home);
  fresh.id_ = next_id_++;
  fresh.hashes_ = hashes;
  fresh.session_hash_ = sip_hash(table_key(seed_), fresh.key.session());
  fresh.bound_at = now;
  fresh.last_used = now;
  const auto [where, inserted] = index_->bindings.insert(std::move(fresh));
  BERTH_CHECK(inserted);
  Binding& binding = Index::writable(*where);
  settle(binding, now);
  return &binding;
}

void BindingTable::settle(Binding& binding, Instant now) {
  Standing standing = Standing::kIdle;
  if (binding.active > 0) {
    standing = Standing::kActive;
  } else if (now - binding.last_used < limits_.resident_window) {
    standing = Standing::kResident;
  }
  if (standing != binding.standing_ || binding.last_used != binding.ordered_at_) {
    index_->reorder(binding, standing, binding.last_used);
  }
  recount(binding);
}

// Moves one count from the replica that `counted` names to the one that is named `now`.
void BindingTable::move_count(ReplicaIndex& counted, ReplicaIndex now,
                              std::uint64_t Replica::* count) {
  if (counted == now) return;
  if (counted != kNoReplica) --(replicas_[counted].*count);
  if (now != kNoReplica) ++(replicas_[now].*count);
  counted = now;
}

void BindingTable::recount(Binding& binding) {
  move_count(binding.bound_counted_, binding.home, &Replica::bound);
  move_count(binding.stand_in_counted_, binding.stand_in, &Replica::referred);
  move_count(binding.overflow_counted_, binding.last_overflow, &Replica::referred);
  if (binding.resident_counted_ != kNoReplica) {
    Replica& before = replicas_[binding.resident_counted_];
    // Else lose_cache() took all of that cache's away at once.
    if (before.cache == binding.cache_counted_) {
      --before.resident;
      before.resident_tokens -= binding.tokens_counted_;
    }
  }
  const bool resident = is_resident(binding);
  binding.resident_counted_ = resident ? binding.lives_at() : kNoReplica;
  binding.tokens_counted_ = resident ? binding.tokens : 0;
  if (binding.resident_counted_ != kNoReplica) {
    Replica& after = replicas_[binding.resident_counted_];
    binding.cache_counted_ = after.cache;
    ++after.resident;
    after.resident_tokens += binding.tokens_counted_;
  }
}

// One with open requests is being read into the cache again, if it was lost.
bool BindingTable::is_resident(const Binding& binding) const {
  if (binding.standing_ == Standing::kIdle || binding.lives_at() == kNoReplica) return false;
  if (binding.active > 0) return true;
  return binding.turns > 0 && binding.cache_there() == replicas_[binding.lives_at()].cache;
}

void BindingTable::erase(Binding& binding) {
  if (on_erase_) on_erase_(binding);
  binding.home = kNoReplica;
  binding.stand_in = kNoReplica;
  binding.last_overflow = kNoReplica;
  recount(binding);
  auto& by_order = index_->bindings.get<Index::ByOrder>();
  by_order.erase(by_order.iterator_to(binding));
}

bool BindingTable::evict_one() {
  for (const Standing standing : {Standing::kIdle, Standing::kResident}) {
    if (Binding* oldest = index_->oldest(standing)) {
      erase(*oldest);
      return true;
    }
  }
  return false;
}

void BindingTable::expire(Instant now, std::size_t at_most) {
  for (std::size_t step = 0; step < at_most; ++step) {
    Binding* idle = index_->oldest(Standing::kIdle);
    if (size() > limits_.capacity && evict_one()) continue;
    if (idle != nullptr && now - idle->last_used >= limits_.ttl) {
      erase(*idle);
      continue;
    }
    Binding* resident = index_->oldest(Standing::kResident);
    if (resident == nullptr || now - resident->last_used < limits_.resident_window) return;
    settle(*resident, now);
  }
}

std::size_t BindingTable::size() const { return index_->bindings.size(); }

std::vector<const Binding*> BindingTable::of_session(std::string_view session) const {
  const auto& by_session = index_->bindings.get<Index::BySession>();
  const auto [begin, end] = by_session.equal_range(sip_hash(table_key(seed_), session));
  std::vector<const Binding*> found;
  for (auto it = begin; it != end; ++it) {
    if (it->key.session() == session) found.push_back(&*it);
  }
  std::sort(found.begin(), found.end(), [](const Binding* a, const Binding* b) {
    return std::pair(a->key.agent(), std::string_view(a->key.bytes())) <
           std::pair(b->key.agent(), std::string_view(b->key.bytes()));
  });
  return found;
}

const Binding* BindingTable::find_by_hash(std::uint64_t hash) const {
  if (hash == 0) return nullptr;
  const auto& by_shown = index_->bindings.get<Index::ByShown>();
  if (const auto it = by_shown.find(hash); it != by_shown.end()) return &*it;
  const auto& by_session = index_->bindings.get<Index::ByShownSession>();
  const auto it = by_session.find(hash);
  return it == by_session.end() ? nullptr : &*it;
}

// By the buckets of the key index. They are reserved for the whole capacity, so a binding stays in
// its bucket until set_limits() grows the table.
std::size_t BindingTable::visit_part(std::size_t position, std::size_t at_most,
                                     const std::function<void(const Binding&)>& visit) const {
  constexpr std::size_t kEmptyBucketsPerBinding = 64;
  const auto& by_key = index_->bindings.get<Index::ByKey>();
  const std::size_t end =
      std::min(by_key.bucket_count(), position + at_most * kEmptyBucketsPerBinding);
  std::size_t visited = 0;
  for (; position < end && visited < at_most; ++position) {
    for (auto it = by_key.begin(position); it != by_key.end(position); ++it, ++visited) visit(*it);
  }
  return position < by_key.bucket_count() ? position : 0;
}

}  // namespace berth::routing
