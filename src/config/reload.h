// What a reload would change: compares the configuration in use with one just loaded. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/schema.h"

namespace berth::config {

struct ReloadPlan {
  // One sentence for each value the reload takes over: "timeouts.drain: 1m -> 30s", "server
  // http://gpu2:8000: added". Secrets only as "changed".
  std::vector<std::string> changes;
  // One sentence for each value that a reload cannot change; the value in use stays.
  std::vector<std::string> needs_restart;
  // Set when the reload must not be done although the file is valid: with the values that need a
  // restart still as they were, the result would be open to strangers. One sentence.
  std::optional<std::string> refused;
  // What is in use after the reload: `loaded`, but for the values that need a restart. Compare the
  // next reload with this one.
  Config next;

  bool empty() const { return changes.empty() && needs_restart.empty(); }
};

// Which keys need a restart is said in keys.cc and docs/config.md: what is bound, sized or opened
// at the start.
ReloadPlan plan_reload(const Config& running, const Config& loaded);

}  // namespace berth::config
