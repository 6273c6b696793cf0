#include "sim/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"

namespace berth::sim {
namespace {

// Named by users and documents before they are built.
constexpr std::array<std::string_view, 3> kWithAdmission = {"berth", "berth-unbounded",
                                                            "clairvoyant"};

}  // namespace

const std::vector<PolicyEntry>& policies() {
  static const std::vector<PolicyEntry> all = {
      {"random", "every request to a replica drawn at random", make_random},
  };
  return all;
}

Result<const PolicyEntry*> find_policy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policies()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  if (std::find(kWithAdmission.begin(), kWithAdmission.end(), name) != kWithAdmission.end()) {
    return fail(ErrorCode::kConfig,
                fmt::format("policy '{}' needs the waiting line, which this version does not have "
                            "yet",
                            name));
  }
  return fail(ErrorCode::kConfig, fmt::format("there is no policy '{}'{}; berth sim list has all",
                                              name, did_you_mean(name, names)));
}

}  // namespace berth::sim
