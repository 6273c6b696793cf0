// Bindings to and from the state directory, so that later turns are still sticky after a restart.
#include <algorithm>

#include "routing/router_state.h"

namespace berth::routing {

std::vector<SavedBinding> ModelRouter::export_bindings(Instant now) const {
  std::vector<SavedBinding> all;
  all.reserve(impl_->bindings.size());
  impl_->bindings.for_each([&](const Binding& binding) {
    SavedBinding saved;
    saved.key = binding.key.unpack();
    saved.identity = binding.identity;
    saved.replica_label = impl_->replicas[binding.home].spec.label;
    saved.idle = std::max(now - binding.last_used, Duration::zero());
    saved.tokens = binding.tokens;
    saved.turns = binding.turns;
    if (binding.identity == IdentitySource::kContent) {
      saved.chain_end = impl_->chains.end_of(saved.key);
    }
    all.push_back(std::move(saved));
  });
  return all;
}

std::size_t ModelRouter::import_bindings(const std::vector<SavedBinding>& saved, Instant now) {
  std::size_t taken = 0;
  for (const SavedBinding& one : saved) {
    const auto home = impl_->replicas.find_label(one.replica_label);
    PackedKey key(one.key);
    const bool known = impl_->bindings.find(key) != nullptr;
    const bool overdue = one.idle >= impl_->settings.binding_ttl;
    const bool full = impl_->bindings.size() >= impl_->settings.max_bindings;
    if (!home || known || overdue || full) continue;
    Binding* binding = impl_->bindings.insert(std::move(key), *home, now);
    if (binding == nullptr) break;
    binding->identity = one.identity;
    binding->tokens = one.tokens;
    binding->home_tokens = one.tokens;
    binding->turns = static_cast<std::uint32_t>(one.turns);
    binding->last_used = now - one.idle;
    binding->bound_at = binding->last_used;
    impl_->bindings.settle(*binding, now);
    if (one.chain_end) impl_->chains.restore(one.key, *one.chain_end);
    ++taken;
  }
  return taken;
}

}  // namespace berth::routing
