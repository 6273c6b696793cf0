#include "sim/prefix_tree.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace berth::sim {

struct PrefixTree::Node {
  struct Owner {
    routing::ReplicaIndex replica;
    std::uint64_t used;
  };

  std::vector<std::uint64_t> text;
  Node* parent = nullptr;
  std::map<std::uint64_t, std::unique_ptr<Node>> children;  // by the first block of their text
  std::vector<Owner> owners;                                // in the order they came

  auto owner(routing::ReplicaIndex replica) {
    return std::find_if(owners.begin(), owners.end(),
                        [&](const Owner& o) { return o.replica == replica; });
  }
  bool owned_by(routing::ReplicaIndex replica) { return owner(replica) != owners.end(); }
  bool is_leaf_of(routing::ReplicaIndex replica) {
    return owned_by(replica) &&
           std::none_of(children.begin(), children.end(),
                        [&](const auto& child) { return child.second->owned_by(replica); });
  }
};

// What eviction may take next.
struct PrefixTree::Leaf {
  std::uint64_t used;
  routing::ReplicaIndex replica;
  Node* node;
  friend bool operator>(const Leaf& a, const Leaf& b) {
    return std::tie(a.used, a.replica) > std::tie(b.used, b.replica);
  }
};

PrefixTree::PrefixTree() : root_(std::make_unique<Node>()) {}
PrefixTree::~PrefixTree() = default;

void PrefixTree::insert(Text text, routing::ReplicaIndex replica) {
  add(replica);
  ++uses_;
  Node* at = root_.get();
  while (!text.empty()) {
    std::unique_ptr<Node>& next = at->children[text.front()];
    if (!next) {
      next = std::make_unique<Node>();
      next->text.assign(text.begin(), text.end());
      next->parent = at;
    }
    const auto part = std::mismatch(next->text.begin(), next->text.end(), text.begin(), text.end());
    const auto shared = static_cast<std::size_t>(part.second - text.begin());
    if (shared < next->text.size()) split(next, shared);
    own(*next, replica);
    at = next.get();
    text = text.subspan(shared);
  }
}

// The node becomes two, the first with `at` blocks; returns where the first stands.
std::unique_ptr<PrefixTree::Node>& PrefixTree::split(std::unique_ptr<Node>& whole, std::size_t at) {
  auto upper = std::make_unique<Node>();
  const auto middle = whole->text.begin() + static_cast<std::ptrdiff_t>(at);
  upper->text.assign(whole->text.begin(), middle);
  upper->parent = whole->parent;
  upper->owners = whole->owners;
  whole->text = std::vector<std::uint64_t>(middle, whole->text.end());
  whole->parent = upper.get();
  const std::uint64_t first = whole->text.front();
  upper->children[first] = std::move(whole);
  whole = std::move(upper);
  return whole;
}

void PrefixTree::own(Node& node, routing::ReplicaIndex replica) {
  const auto owner = node.owner(replica);
  if (owner != node.owners.end()) {
    owner->used = uses_;
    return;
  }
  node.owners.push_back({replica, uses_});
  sizes_[replica] += node.text.size();
}

PrefixTree::Match PrefixTree::match(Text text) {
  Match found;
  Node* at = root_.get();
  while (!text.empty()) {
    const auto next = at->children.find(text.front());
    if (next == at->children.end()) break;
    at = next->second.get();
    const auto part = std::mismatch(at->text.begin(), at->text.end(), text.begin(), text.end());
    const auto shared = static_cast<std::size_t>(part.second - text.begin());
    found.blocks += shared;
    if (shared < at->text.size()) break;
    text = text.subspan(shared);
  }
  if (found.blocks == 0) return found;
  found.replica = at->owners.front().replica;
  ++uses_;
  for (; at != root_.get(); at = at->parent) at->owner(*found.replica)->used = uses_;
  return found;
}

void PrefixTree::drop(Node& node, routing::ReplicaIndex replica) {
  node.owners.erase(node.owner(replica));
  sizes_[replica] -= node.text.size();
}

void PrefixTree::forget(routing::ReplicaIndex replica) {
  drop_below(*root_, replica);
  sizes_.erase(replica);
}

void PrefixTree::drop_below(Node& node, routing::ReplicaIndex replica) {
  std::erase_if(node.children, [&](auto& child) {
    Node& below = *child.second;
    if (!below.owned_by(replica)) return false;
    drop_below(below, replica);
    drop(below, replica);
    return below.owners.empty();
  });
}

void PrefixTree::evict(std::size_t most) {
  std::priority_queue<Leaf, std::vector<Leaf>, std::greater<>> leaves;
  std::vector<Node*> todo{root_.get()};
  while (!todo.empty()) {
    Node& node = *todo.back();
    todo.pop_back();
    for (const auto& child : node.children) todo.push_back(child.second.get());
    for (const Node::Owner& owner : node.owners) {
      if (sizes_[owner.replica] <= most || !node.is_leaf_of(owner.replica)) continue;
      leaves.push({owner.used, owner.replica, &node});
    }
  }
  while (!leaves.empty()) {
    const Leaf leaf = leaves.top();
    leaves.pop();
    if (sizes_[leaf.replica] <= most) continue;
    Node* const parent = leaf.node->parent;
    drop(*leaf.node, leaf.replica);
    if (leaf.node->owners.empty()) {
      const std::uint64_t first = leaf.node->text.front();
      parent->children.erase(first);
    }
    if (parent->is_leaf_of(leaf.replica)) {
      leaves.push({parent->owner(leaf.replica)->used, leaf.replica, parent});
    }
  }
}

std::size_t PrefixTree::size(routing::ReplicaIndex replica) const {
  const auto known = sizes_.find(replica);
  return known == sizes_.end() ? 0 : known->second;
}

std::optional<routing::ReplicaIndex> PrefixTree::smallest() const {
  const auto least =
      std::min_element(sizes_.begin(), sizes_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least == sizes_.end()) return std::nullopt;
  return least->first;
}

}  // namespace berth::sim
