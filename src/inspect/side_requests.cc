#include "inspect/side_requests.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace berth::inspect {
namespace {

// OpenCode's title agent (anomalyco/opencode, packages/opencode/src/agent/prompt/title.txt).
constexpr std::array<std::string_view, 1> kSystemStarts{"You are a title generator"};

// Claude Code's credential, quota and model probes: one token, one message, no system prompt.
constexpr std::array<std::string_view, 3> kProbeTexts{"quota", "test", "Hi"};

bool is_probe(const Opening& opening, const SideRequestHints& hints) {
  return hints.max_tokens == 1 && !opening.has_system && hints.tools == 0 && opening.entries == 1 &&
         std::find(kProbeTexts.begin(), kProbeTexts.end(), opening.first_user) != kProbeTexts.end();
}

}  // namespace

bool looks_like_side_request(const Opening& opening, const SideRequestHints& hints) {
  if (is_probe(opening, hints)) return true;
  return std::any_of(kSystemStarts.begin(), kSystemStarts.end(),
                     [&](std::string_view mark) { return opening.system.starts_with(mark); });
}

}  // namespace berth::inspect
