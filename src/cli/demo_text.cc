#include "cli/demo_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "cli/human.h"
#include "cli/text_table.h"
#include "console/shares.h"

namespace berth::cli {
namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Beside the mean, which one hiccup of a busy machine, times the time scale, can spoil.
std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string cache_words(const DemoTurn& turn) {
  if (!turn.cached_tokens) return fmt::format("{} prompt tokens", thousands(turn.prompt_tokens));
  return fmt::format("{:>6} of {:>6} prompt tokens cached, {:>5}", thousands(*turn.cached_tokens),
                     thousands(turn.prompt_tokens),
                     percent(console::share(*turn.cached_tokens, turn.prompt_tokens)));
}

// One style for a whole column, whatever the size.
std::string seconds_words(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.1f} s", *seconds) : "-";
}

}  // namespace

std::string demo_introduction(const DemoFleetOptions& fleet, const std::string& model,
                              std::uint32_t sessions, std::uint32_t turns) {
  const std::string what =
      fleet.topology == Topology::kRanks
          ? fmt::format("One simulated vLLM server with {}", counted(fleet.replicas, "rank"))
          : counted(fleet.replicas, "simulated vLLM server");
  return fmt::format(
      "{}, the gateway in front, and {} of {} each.\n"
      "No GPU is used. Every replica takes the time that {} takes on an\n"
      "RTX A4000{}, and has a prefix cache of {} tokens (the card has room\n"
      "for 36,000), so that the prompts of real agents fit.\n",
      what, counted(sessions, "agent session"), counted(turns, "turn"), model,
      fleet.time_scale == 1 ? "" : fmt::format(", {:g} times faster", fleet.time_scale),
      thousands(kDemoKvTokens));
}

std::string demo_off_heading(Topology topology) {
  return topology == Topology::kRanks
             ? "\n1. Affinity off: vLLM's own balancer picks a rank for every request.\n"
             : "\n1. Affinity off: every request goes to the server with the fewest in flight.\n";
}

std::string demo_on_heading() {
  return "\n2. Affinity on, new sessions: every conversation has its home.\n";
}

std::string demo_turn_line(const DemoTurn& turn, std::string_view why, double time_scale) {
  const std::string where = turn.replica.empty() ? "the engine's choice" : turn.replica;
  std::string line = fmt::format("  agent {} turn {}  {:<8} {:<19}  {}; first token {:>6}",
                                 turn.agent, turn.number, turn.outcome, where, cache_words(turn),
                                 seconds_words(to_seconds(turn.first_token) * time_scale));
  if (!why.empty()) line += fmt::format("  ({})", why);
  return line + '\n';
}

DemoArm demo_arm(const std::vector<DemoTurn>& turns, double time_scale) {
  DemoArm arm;
  std::vector<double> waits;
  std::map<std::uint32_t, std::string> last_replica;
  for (const DemoTurn& turn : turns) {
    const std::string before = std::exchange(last_replica[turn.agent], turn.replica);
    if (turn.number < 2) continue;
    arm.prompt_tokens += turn.prompt_tokens;
    arm.cached_tokens += turn.cached_tokens.value_or(0);
    waits.push_back(to_seconds(turn.first_token) * time_scale);
    if (before.empty() || turn.replica.empty()) continue;
    ++arm.followed;
    if (before == turn.replica) ++arm.stayed;
  }
  arm.mean_first_token_s = mean(waits);
  arm.median_first_token_s = median(std::move(waits));
  return arm;
}

std::string demo_difference(const DemoArm& off, const DemoArm& on) {
  TextTable table({{"second and later turns", false}, {"affinity off"}, {"affinity on"}});
  table.add_row({{"prompt tokens read from the prefix cache"},
                 {percent(console::share(off.cached_tokens, off.prompt_tokens))},
                 {percent(console::share(on.cached_tokens, on.prompt_tokens))}});
  table.add_row({{"first token after, on average"},
                 {seconds_words(off.mean_first_token_s)},
                 {seconds_words(on.mean_first_token_s)}});
  table.add_row({{"first token after, median"},
                 {seconds_words(off.median_first_token_s)},
                 {seconds_words(on.median_first_token_s)}});
  table.add_row({{"turns that stayed on their replica"},
                 {percent(console::share(off.stayed, off.followed))},
                 {percent(console::share(on.stayed, on.followed))}});
  return table.text({});
}

std::string demo_addresses(const DemoAddresses& addresses) {
  return fmt::format(
      R"(The demo is running, its agents go on in the background; Ctrl-C ends it.
  gateway      {gateway}
  admin        {admin}
  admin token  {token}

Look at it from another terminal, in this folder:
  {program} status --admin {admin}
  {program} explain --admin {admin} {session}
  curl {admin}/metrics

Point a real agent at it (the answers are made up, but its turns are real):
  export ANTHROPIC_BASE_URL={gateway} ANTHROPIC_AUTH_TOKEN=any
  export ANTHROPIC_MODEL={model} ANTHROPIC_DEFAULT_HAIKU_MODEL={model}
  echo "say hello" | claude --print
)",
      fmt::arg("gateway", addresses.gateway), fmt::arg("admin", addresses.admin),
      fmt::arg("token", addresses.token_file), fmt::arg("session", addresses.session),
      fmt::arg("model", addresses.model), fmt::arg("program", addresses.program));
}

}  // namespace berth::cli
