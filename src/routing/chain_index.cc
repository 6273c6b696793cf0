#include "routing/chain_index.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "routing/packed_key.h"

namespace berth::routing {
namespace {

std::string hex(std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kDigits[(value >> (60 - 4 * i)) & 0xf];
  return out;
}

}  // namespace

ChainIndex::ChainIndex(std::size_t capacity, std::uint64_t seed)
    : capacity_(std::max<std::size_t>(capacity, 1)), scope_key_(table_key(seed)) {}

std::uint64_t ChainIndex::scope_of(std::string_view tenant, std::string_view model) const {
  return sip_hash(scope_key_, PackedKey({std::string(tenant), std::string(model), "", ""}).bytes());
}

std::size_t ChainIndex::deepest(std::uint64_t scope, const std::vector<ChainHash>& chain) const {
  for (std::size_t depth = chain.size(); depth > 0; --depth) {
    if (nodes_.contains({scope, chain[depth - 1]})) return depth;
  }
  return 0;
}

bool ChainIndex::goes_on(const Conversation& known, std::size_t matched, std::size_t length,
                         ChainHash at_match) {
  if (at_match == known.nodes.back()) return true;
  return matched + 1 == known.length && length > known.length;
}

std::size_t ChainIndex::waiting_end(std::uint64_t scope, const std::vector<ChainHash>& chain,
                                    std::size_t matched) const {
  const std::size_t nearest = matched > kSharedTurn ? matched - kSharedTurn : 1;
  for (std::size_t depth = matched - 1; depth >= nearest; --depth) {
    const auto found = nodes_.find({scope, chain[depth - 1]});
    if (found != nodes_.end() && found->second.owner->nodes.back() == chain[depth - 1]) {
      return depth;
    }
  }
  return 0;
}

bool ChainIndex::is_kin(const Conversation& known, std::size_t matched, std::size_t length) {
  if (matched < std::min(known.birth, kOpenerMessages + 1)) return false;
  return length > matched || matched > known.birth;
}

ChainMatch ChainIndex::recognise(const std::vector<ChainHash>& chain, std::string_view tenant,
                                 std::string_view model) {
  BERTH_CHECK(!chain.empty());
  const std::uint64_t scope = scope_of(tenant, model);
  const std::size_t matched = deepest(scope, chain);
  if (matched > 0) {
    const auto owner = nodes_.at({scope, chain[matched - 1]}).owner;
    if (owner->length == 0) owner->length = owner->birth = matched;
    if (goes_on(*owner, matched, chain.size(), chain[matched - 1])) {
      extend(owner, chain, matched);
      return {owner->key, std::nullopt};
    }
    if (const std::size_t end = waiting_end(scope, chain, matched); end > 0) {
      const auto waiting = nodes_.at({scope, chain[end - 1]}).owner;
      // What both share stays with the first; the end is the second's own.
      extend(waiting, chain, std::min(matched, chain.size() - 1));
      return {waiting->key, std::nullopt};
    }
  }
  std::optional<ConversationKey> parent = adopt(scope, chain, matched);
  const auto fresh = create(name_for(chain, matched, tenant, model), scope);
  fresh->birth = chain.size();
  // The end is the new conversation's even where another one passed before.
  extend(fresh, chain, std::min(matched, chain.size() - 1));
  return {fresh->key, std::move(parent)};
}

std::optional<ConversationKey> ChainIndex::follow(const ConversationKey& key,
                                                  const std::vector<ChainHash>& chain) {
  BERTH_CHECK(!chain.empty());
  const std::uint64_t scope = scope_of(key.tenant, key.model);
  const std::size_t matched = deepest(scope, chain);
  const auto known = by_key_.find(PackedKey(key).bytes());
  if (known != by_key_.end()) {
    extend(known->second, chain, std::min(matched, chain.size() - 1));
    return std::nullopt;
  }
  std::optional<ConversationKey> parent = adopt(scope, chain, matched);
  const auto fresh = create(key, scope);
  fresh->birth = chain.size();
  extend(fresh, chain, std::min(matched, chain.size() - 1));
  return parent;
}

std::optional<ConversationKey> ChainIndex::adopt(std::uint64_t scope,
                                                 const std::vector<ChainHash>& chain,
                                                 std::size_t matched) {
  if (matched == 0) return std::nullopt;
  Node& node = nodes_.at({scope, chain[matched - 1]});
  if (!is_kin(*node.owner, matched, chain.size()) || node.children >= kMaxChildren) {
    return std::nullopt;
  }
  ++node.children;
  touch(node.owner);
  return node.owner->key;
}

std::optional<ConversationKey> ChainIndex::find(const std::vector<ChainHash>& chain,
                                                std::string_view tenant,
                                                std::string_view model) const {
  const std::uint64_t scope = scope_of(tenant, model);
  const std::size_t matched = deepest(scope, chain);
  if (matched == 0) return std::nullopt;
  const Conversation& known = *nodes_.at({scope, chain[matched - 1]}).owner;
  const bool related = goes_on(known, matched, chain.size(), chain[matched - 1]) ||
                       is_kin(known, matched, chain.size());
  if (!related) return std::nullopt;
  return known.key;
}

ConversationKey ChainIndex::name_for(const std::vector<ChainHash>& chain, std::size_t matched,
                                     std::string_view tenant, std::string_view model) {
  ConversationKey key{std::string(tenant), std::string(model), "", ""};
  for (std::size_t i = matched; i < chain.size(); ++i) {
    key.session = "content-" + hex(chain[i]);
    if (!by_key_.contains(PackedKey(key).bytes())) return key;
  }
  key.session = "content-" + hex(chain.back()) + "-" + std::to_string(next_serial_++);
  return key;
}

ChainIndex::ByUse::iterator ChainIndex::create(ConversationKey key, std::uint64_t scope) {
  Conversation conversation;
  conversation.key = std::move(key);
  conversation.scope = scope;
  by_use_.push_back(std::move(conversation));
  const auto made = std::prev(by_use_.end());
  by_key_[PackedKey(made->key).bytes()] = made;
  trim();
  return made;
}

void ChainIndex::extend(ByUse::iterator conversation, const std::vector<ChainHash>& chain,
                        std::size_t matched) {
  touch(conversation);
  conversation->length = chain.size();
  const std::size_t newest = chain.size() > kMaxNodes ? chain.size() - kMaxNodes : 0;
  for (std::size_t i = std::max(matched, newest); i < chain.size(); ++i) {
    own(conversation, chain[i]);
  }
  thin(*conversation);
}

void ChainIndex::own(ByUse::iterator conversation, ChainHash hash) {
  nodes_[{conversation->scope, hash}].owner = conversation;
  // After a rewind a message can be its conversation's end for the second time.
  std::erase(conversation->nodes, hash);
  conversation->nodes.push_back(hash);
}

// Drops every second node of the older half until the rest fits: near the end each message is
// known, further back ever fewer, and any of them still leads to the right conversation.
void ChainIndex::thin(Conversation& conversation) {
  std::vector<ChainHash>& nodes = conversation.nodes;
  while (nodes.size() > kMaxNodes) {
    const std::size_t older = nodes.size() / 2;
    std::vector<ChainHash> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i < older && i % 2 == 1) {
        drop_node(conversation, nodes[i]);
      } else {
        kept.push_back(nodes[i]);
      }
    }
    nodes = std::move(kept);
  }
}

void ChainIndex::drop_node(const Conversation& owner, ChainHash hash) {
  const auto found = nodes_.find({owner.scope, hash});
  if (found != nodes_.end() && &*found->second.owner == &owner) nodes_.erase(found);
}

void ChainIndex::touch(ByUse::iterator conversation) {
  by_use_.splice(by_use_.end(), by_use_, conversation);
}

void ChainIndex::erase(ByUse::iterator conversation) {
  for (const ChainHash hash : conversation->nodes) drop_node(*conversation, hash);
  by_key_.erase(PackedKey(conversation->key).bytes());
  by_use_.erase(conversation);
}

void ChainIndex::trim() {
  while (by_use_.size() > capacity_) erase(by_use_.begin());
}

void ChainIndex::set_capacity(std::size_t capacity) {
  capacity_ = std::max<std::size_t>(capacity, 1);
  trim();
}

std::optional<ChainHash> ChainIndex::end_of(const ConversationKey& key) const {
  const auto found = by_key_.find(PackedKey(key).bytes());
  if (found == by_key_.end()) return std::nullopt;
  return found->second->nodes.back();
}

void ChainIndex::restore(const ConversationKey& key, ChainHash end) {
  if (by_key_.contains(PackedKey(key).bytes())) return;
  own(create(key, scope_of(key.tenant, key.model)), end);
}

void ChainIndex::forget(const ConversationKey& key) {
  const auto found = by_key_.find(PackedKey(key).bytes());
  if (found != by_key_.end()) erase(found->second);
}

}  // namespace berth::routing
