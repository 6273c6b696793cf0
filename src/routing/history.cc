#include "routing/history.h"

#include <utility>

namespace berth::routing {

void History::set_capacity(std::size_t capacity) {
  capacity_ = capacity;
  trim();
}

void History::trim() {
  while (by_use_.size() > capacity_) {
    by_id_.erase(by_use_.front().id);
    by_use_.pop_front();
  }
}

History::Entry& History::touch(std::uint64_t id) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) {
    by_use_.splice(by_use_.end(), by_use_, found->second);
    return *found->second;
  }
  by_use_.emplace_back().id = id;
  by_id_.emplace(id, std::prev(by_use_.end()));
  return by_use_.back();
}

void History::add(std::uint64_t id, DecisionRecord record, bool chose_home) {
  if (capacity_ == 0) return;
  Entry& entry = touch(id);
  if (chose_home) {
    entry.chose_home = std::move(record);
    entry.recent.clear();
  } else {
    if (entry.recent.size() == kRecent) entry.recent.erase(entry.recent.begin());
    entry.recent.push_back(std::move(record));
  }
  trim();
}

void History::set_usage(std::uint64_t id, const Usage& usage) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) found->second->usage = usage;
}

void History::erase(std::uint64_t id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  by_use_.erase(found->second);
  by_id_.erase(found);
}

std::vector<DecisionRecord> History::decisions(std::uint64_t id) const {
  std::vector<DecisionRecord> all;
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return all;
  if (found->second->chose_home) all.push_back(*found->second->chose_home);
  all.insert(all.end(), found->second->recent.begin(), found->second->recent.end());
  return all;
}

Usage History::last_usage(std::uint64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? Usage{} : found->second->usage;
}

}  // namespace berth::routing
