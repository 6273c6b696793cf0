// Names that configuration values may have, and a number shown with them. They are those of
// routing::policy_name, routing::identity_source_name and observe::log_level_name, which this
// module may not include; src/cli/config_names_test.cc holds them together.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace berth::config {

inline constexpr std::array<std::string_view, 4> kPolicyNames = {"sticky", "session-hash",
                                                                 "round-robin", "least-loaded"};

// What `berth sim` compares, by its names, in the words of a setting.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSimPolicies = {{
    {"on", "\"sticky\", which berth sim calls on"},
    {"off", "affinity = false, which berth sim calls off"},
}};

// Of observe::LogLevel.
inline constexpr std::array<std::string_view, 5> kLogLevelNames = {"debug", "info", "warning",
                                                                   "error", "off"};

// routing::Settings::kAssumedMaxNumSeqs: what a replica is taken for until told or seen otherwise.
inline constexpr std::uint32_t kAssumedMaxNumSeqs = 32;

// In the default order.
inline constexpr std::array<std::string_view, 10> kIdentityNames = {
    "operator-header",  "claude-code", "codex-thread",     "codex-session",
    "session-affinity", "session-id",  "agent-session-id", "prompt-cache-key",
    "metadata-user-id", "content"};

}  // namespace berth::config
