// Names that configuration values may have. They are those of routing::policy_name and
// routing::identity_source_name, which this module may not include; src/cli/config_names_test.cc
// holds the two together.
#pragma once

#include <array>
#include <string_view>

namespace berth::config {

inline constexpr std::array<std::string_view, 4> kPolicyNames = {"sticky", "session-hash",
                                                                 "round-robin", "least-loaded"};

// In the default order.
inline constexpr std::array<std::string_view, 10> kIdentityNames = {
    "operator-header",  "claude-code", "codex-thread",     "codex-session",
    "session-affinity", "session-id",  "agent-session-id", "prompt-cache-key",
    "metadata-user-id", "content"};

}  // namespace berth::config
