// Which replicas were sent which texts: one radix tree for all of them, as the cache-aware routers
// of SGLang and vLLM keep it, over block hashes instead of characters.
//
// Source: sgl-project/sglang, sgl-router/src/policies/tree.rs (2025), which vllm-project/router and
// lightseekorg/smg took over:
//   insert  the text's path is made, splitting nodes where texts part, and the replica owns all of
//           it; every node of the path is used now
//   match   down as far as any replica's text goes; the replica named is one that owns the last
//   node
//           reached, and its path is used now
//   evict   a replica that owns more than the limit loses its leaves, least recently used first,
//   each
//           whole, until it does not
// Of several owners the originals take one in no order, or, in later versions, the one that made
// the node as long as it owns it: so here, and after it the one that came next.
//
// A block is 16 tokens, so a match is up to 15 tokens shorter than one by characters. Pure; owned
// by one policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "routing/types.h"

namespace berth::sim {

class PrefixTree {
 public:
  using Text = std::span<const std::uint64_t>;
  struct Match {
    std::size_t blocks = 0;
    std::optional<routing::ReplicaIndex> replica;  // if any block matched
  };

  PrefixTree();
  ~PrefixTree();
  PrefixTree(const PrefixTree&) = delete;
  PrefixTree& operator=(const PrefixTree&) = delete;

  // Known from now on, with nothing if it was not known before.
  void add(routing::ReplicaIndex replica) { sizes_.try_emplace(replica, 0); }
  void insert(Text text, routing::ReplicaIndex replica);
  Match match(Text text);
  // All that it owns, and that it is known.
  void forget(routing::ReplicaIndex replica);
  // Until no replica owns more than `most` blocks.
  void evict(std::size_t most);

  // Blocks it owns.
  std::size_t size(routing::ReplicaIndex replica) const;
  // Of the known ones the one that owns least; of equals the one with the lowest index.
  std::optional<routing::ReplicaIndex> smallest() const;

 private:
  struct Node;
  struct Leaf;
  static std::unique_ptr<Node>& split(std::unique_ptr<Node>& whole, std::size_t at);
  void own(Node& node, routing::ReplicaIndex replica);
  void drop(Node& node, routing::ReplicaIndex replica);
  void drop_below(Node& node, routing::ReplicaIndex replica);

  std::unique_ptr<Node> root_;
  std::map<routing::ReplicaIndex, std::size_t> sizes_;
  std::uint64_t uses_ = 0;  // the time by which use is ordered
};

}  // namespace berth::sim
