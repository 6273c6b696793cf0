#include "gateway/state_loader.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "gateway/identify_request.h"

namespace berth::gateway {

namespace {

Result<SavedModels> load(const std::string& directory, const KeyedHash& hash, WallTime now) {
  Result<SavedModels> saved = load_bindings(directory, now);
  if (!saved) return saved;
  for (auto& [model, bindings] : *saved) {
    for (routing::SavedBinding& one : bindings) one.hashes = conversation_hashes(hash, one.key);
    std::stable_sort(bindings.begin(), bindings.end(),
                     [](const auto& a, const auto& b) { return a.idle > b.idle; });
  }
  return saved;
}

}  // namespace

StateLoader::StateLoader(const std::string& directory, const KeyedHash& hash, WallTime now)
    : loaded_(std::async(std::launch::async, load, directory, hash, now)) {}

bool StateLoader::done() const {
  return loaded_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

SavedModels take_part(SavedModels& from, std::size_t at_most) {
  while (!from.empty() && from.begin()->second.empty()) from.erase(from.begin());
  if (from.empty()) return {};
  auto& [model, bindings] = *from.begin();
  const auto first =
      bindings.end() - static_cast<std::ptrdiff_t>(std::min(at_most, bindings.size()));
  SavedModels part;
  part[model].assign(std::make_move_iterator(first), std::make_move_iterator(bindings.end()));
  bindings.erase(first, bindings.end());
  return part;
}

}  // namespace berth::gateway
