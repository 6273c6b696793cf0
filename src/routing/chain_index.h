// Content-derived identity: conversations recognised by the chain hashes of their histories.
//
// A chain has one hash for each message; hash i covers the system prompt and messages 0..i. The
// index knows the chains of recent conversations as nodes of a tree (each node belongs to the
// conversation that ends there or passed there last) and looks for the longest known prefix of a
// new chain. When that prefix is
//
//   a conversation's last known end, and the chain goes on: the same conversation.
//   exactly that end: a retry of the same conversation.
//   all but a conversation's last message, and the chain is longer than it: the same conversation;
//     its client rewrites its newest message (a reminder, a clock).
//   an inner node, at most an answer and a message past the end of another conversation: that
//     waiting one goes on; its answer was the same as the one the node's owner once got.
//   an inner node otherwise: a fork, a conversation of its own and a child of that one. Also a
//     rewind, and the second of two conversations with the same opener: the first to go on keeps
//     the key.
//   nothing: a new conversation.
//
// Not every inner match makes a parent, or clients that open every session with the same messages
// (an environment block, a canned greeting) would be placed side by side for ever:
//   - messages before the first answer seen are opener, up to kOpenerMessages: a match there is no
//   kinship;
//   - a history that ends at the opener of a longer one is a new session with the same first
//   message;
//   - a node has at most kMaxChildren children; a further branch is placed by load.
//
// A key's session is made from the shortest prefix no other conversation is named after, so it is
// the same again after the index is lost, and rendezvous hashing finds the old home.
//
// Bounds: `capacity` conversations, least recently used out first; kMaxNodes nodes each: the newest
// ones, older ones ever more thinly. A few KB a conversation at most. Cost: O(chain length).
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "routing/identity.h"
#include "routing/stable_hash.h"
#include "routing/types.h"

namespace berth::routing {

struct ChainMatch {
  ConversationKey conversation;
  std::optional<ConversationKey> parent;
};

class ChainIndex {
 public:
  static constexpr std::size_t kMaxNodes = 32;
  static constexpr std::size_t kOpenerMessages = 8;
  static constexpr std::uint32_t kMaxChildren = 4;
  // An answer and a tool's result: what two conversations with one opener may share beyond it.
  static constexpr std::size_t kSharedTurn = 2;

  // `seed` keys the scope hash: chains of different tenants or models never meet.
  ChainIndex(std::size_t capacity, std::uint64_t seed);

  // The conversation this history belongs to, made if need be. `chain` is not empty.
  ChainMatch recognise(const std::vector<ChainHash>& chain, std::string_view tenant,
                       std::string_view model);
  // The history of a conversation that is known by a name of its own. Answers whose fork it is,
  // when it is new and its history is another one's and more: clients fork a session under a new id
  // (OpenCode --fork, Claude Code --fork-session) and say nothing of it.
  std::optional<ConversationKey> follow(const ConversationKey& key,
                                        const std::vector<ChainHash>& chain);
  // The conversation this history goes on, without learning anything: for side requests.
  std::optional<ConversationKey> find(const std::vector<ChainHash>& chain, std::string_view tenant,
                                      std::string_view model) const;

  // For the state directory: the hash of the last known history, and its return.
  std::optional<ChainHash> end_of(const ConversationKey& key) const;
  void restore(const ConversationKey& key, ChainHash end);
  void forget(const ConversationKey& key);

  void set_capacity(std::size_t capacity);
  std::size_t conversations() const { return by_use_.size(); }
  std::size_t nodes() const { return nodes_.size(); }

 private:
  struct NodeKey {
    std::uint64_t scope = 0;
    ChainHash hash = 0;
    friend bool operator==(const NodeKey&, const NodeKey&) = default;
  };
  struct NodeHash {
    std::size_t operator()(const NodeKey& key) const { return mix(key.scope, key.hash); }
  };
  struct Conversation {
    ConversationKey key;
    std::uint64_t scope = 0;
    std::size_t length = 0;        // messages in its last known history; 0: restored, not known
    std::size_t birth = 0;         // messages when first seen
    std::vector<ChainHash> nodes;  // its own, oldest first; the last is its end
  };
  using ByUse = std::list<Conversation>;  // least recently used first
  struct Node {
    ByUse::iterator owner;
    std::uint32_t children = 0;
  };
  std::uint64_t scope_of(std::string_view tenant, std::string_view model) const;
  // How many messages of the chain are known: the depth of the deepest node on it.
  std::size_t deepest(std::uint64_t scope, const std::vector<ChainHash>& chain) const;
  static bool goes_on(const Conversation& known, std::size_t matched, std::size_t length,
                      ChainHash at_match);
  // The depth of a conversation's end closely before `matched` on the chain: one that asked with
  // exactly these messages and has not gone on yet. 0: none.
  std::size_t waiting_end(std::uint64_t scope, const std::vector<ChainHash>& chain,
                          std::size_t matched) const;
  static bool is_kin(const Conversation& known, std::size_t matched, std::size_t length);
  // The owner of the deepest known message as parent, if a history that leaves there is its child.
  std::optional<ConversationKey> adopt(std::uint64_t scope, const std::vector<ChainHash>& chain,
                                       std::size_t matched);
  void extend(ByUse::iterator conversation, const std::vector<ChainHash>& chain,
              std::size_t matched);
  ByUse::iterator create(ConversationKey key, std::uint64_t scope);
  ConversationKey name_for(const std::vector<ChainHash>& chain, std::size_t matched,
                           std::string_view tenant, std::string_view model);
  void own(ByUse::iterator conversation, ChainHash hash);
  void thin(Conversation& conversation);
  void drop_node(const Conversation& owner, ChainHash hash);
  void touch(ByUse::iterator conversation);
  void erase(ByUse::iterator conversation);
  void trim();

  std::size_t capacity_;
  HashKey scope_key_;
  std::uint64_t next_serial_ = 1;
  ByUse by_use_;
  std::unordered_map<NodeKey, Node, NodeHash> nodes_;
  std::unordered_map<std::string, ByUse::iterator> by_key_;  // packed key
};

}  // namespace berth::routing
