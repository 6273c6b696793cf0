// Bindings to and from the state directory, so that later turns are still sticky after a restart.
#include <algorithm>
#include <limits>

#include "routing/router_state.h"

namespace berth::routing {
namespace {

// Bindings a call of export_part: about a millisecond.
constexpr std::size_t kExportPart = 1024;

}  // namespace

std::size_t ModelRouter::export_part(std::size_t position, std::vector<SavedBinding>& out,
                                     Instant now) const {
  return impl_->bindings.visit_part(position, kExportPart, [&](const Binding& binding) {
    SavedBinding saved;
    saved.key = binding.key.unpack();
    saved.hashes = binding.hashes();
    saved.identity = binding.identity;
    saved.replica_label = impl_->replicas[binding.home].spec.label;
    saved.idle = std::max(now - binding.last_used, Duration::zero());
    saved.kept = std::max(binding.last_used - binding.bound_at, Duration::zero());
    saved.tokens = binding.tokens;
    saved.turns = binding.turns;
    if (binding.identity == IdentitySource::kContent) {
      saved.chain_end = impl_->chains.end_of(saved.key);
    }
    out.push_back(std::move(saved));
  });
}

std::vector<SavedBinding> ModelRouter::export_bindings(Instant now) const {
  std::vector<SavedBinding> all;
  all.reserve(impl_->bindings.size());
  std::size_t position = 0;
  do {
    position = export_part(position, all, now);
  } while (position != 0);
  return all;
}

std::size_t ModelRouter::import_bindings(const std::vector<SavedBinding>& saved, Instant now) {
  std::vector<const SavedBinding*> wanted;
  for (const SavedBinding& one : saved) {
    const bool here = impl_->replicas.find_label(one.replica_label).has_value();
    const bool overdue = one.idle >= impl_->settings.binding_ttl;
    if (here && !overdue) wanted.push_back(&one);
  }
  // The most recently used ones first, while there is room; nothing that is here gives way.
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const SavedBinding* a, const SavedBinding* b) { return a->idle < b->idle; });
  std::size_t taken = 0;
  for (const SavedBinding* one : wanted) {
    if (impl_->bindings.size() >= impl_->settings.max_bindings) break;
    taken += impl_->take_back(*one, now) ? 1 : 0;
  }
  return taken;
}

bool ModelRouter::Impl::take_back(const SavedBinding& saved, Instant now) {
  PackedKey key(saved.key);
  if (bindings.find(key) != nullptr) return false;
  const auto home = replicas.find_label(saved.replica_label);
  Binding* binding = bindings.insert(std::move(key), saved.hashes, *home, now);
  if (binding == nullptr) return false;
  constexpr std::uint64_t kMostTurns = std::numeric_limits<std::uint32_t>::max();
  binding->identity = saved.identity;
  binding->tokens = saved.tokens;
  binding->home_tokens = saved.tokens;
  binding->home_cache = replicas[*home].cache;
  binding->turns = static_cast<std::uint32_t>(std::min(saved.turns, kMostTurns));
  binding->last_used = now - std::max(saved.idle, Duration::zero());
  binding->bound_at = binding->last_used - std::max(saved.kept, Duration::zero());
  bindings.settle(*binding, now);
  if (saved.chain_end) chains.restore(saved.key, *saved.chain_end);
  return true;
}

}  // namespace berth::routing
