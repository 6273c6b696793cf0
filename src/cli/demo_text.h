// What the demo says, as plain text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/demo_agent.h"
#include "cli/demo_fleet.h"

namespace berth::cli {

// What is about to run, and what each arm does.
std::string demo_introduction(const DemoFleetOptions& fleet, const std::string& model,
                              std::uint32_t sessions, std::uint32_t turns);
std::string demo_off_heading(Topology topology);
std::string demo_on_heading();

// One line for one finished turn. `why` completes "because ..."; empty: not known.
// Times are multiplied by `time_scale`: those of the machine that is simulated.
std::string demo_turn_line(const DemoTurn& turn, std::string_view why, double time_scale);

// The later turns of one arm, which are what affinity is about: a first turn has nothing to find.
struct DemoArm {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;
  std::optional<double> mean_first_token_s;
  std::optional<double> median_first_token_s;
  std::uint64_t stayed = 0;    // served by the replica of the turn before
  std::uint64_t followed = 0;  // turns for which that is known
};
DemoArm demo_arm(const std::vector<DemoTurn>& turns, double time_scale);

// Both arms side by side.
std::string demo_difference(const DemoArm& off, const DemoArm& on);

struct DemoAddresses {
  std::string gateway;  // URLs
  std::string admin;
  std::string token_file;
  std::string model;
  std::string session;  // one to explain
  std::string program;  // how to call this binary from where the demo was started
};
// The last words: where everything is, and how to point a real agent at it.
std::string demo_addresses(const DemoAddresses& addresses);

}  // namespace berth::cli
