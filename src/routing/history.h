// The decision history: why each conversation is where it is.
//
// Kept for the most recently used `capacity` conversations. Of each: the decision that chose its
// present home, however old, and the last kRecent others, with the numbers seen. A decision takes
// 60 bytes and 40 for each replica seen, so a full history of 20,000 conversations on four replicas
// takes about 26 MB.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "routing/decision_record.h"
#include "routing/types.h"

namespace berth::routing {

class History {
 public:
  static constexpr std::size_t kRecent = 5;

  explicit History(std::size_t capacity) : capacity_(capacity) {}
  void set_capacity(std::size_t capacity);

  // `id` is the binding's. `chose_home`: this decision made the present home.
  void add(std::uint64_t id, DecisionRecord record, bool chose_home);
  // What the engine told of the last request. Ignored for a conversation without history.
  void set_usage(std::uint64_t id, const Usage& usage);
  void erase(std::uint64_t id);

  // Oldest first; empty when unknown.
  std::vector<DecisionRecord> decisions(std::uint64_t id) const;
  Usage last_usage(std::uint64_t id) const;
  std::size_t size() const { return by_use_.size(); }

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::optional<DecisionRecord> chose_home;
    std::vector<DecisionRecord> recent;
    Usage usage;
  };
  using ByUse = std::list<Entry>;  // least recently used first

  Entry& touch(std::uint64_t id);
  void trim();

  std::size_t capacity_;
  ByUse by_use_;
  std::unordered_map<std::uint64_t, ByUse::iterator> by_id_;
};

}  // namespace berth::routing
