// berth sim seven-cards: the story of seven RTX 5090, two by two.
//
// The story (LM Warden, October 2026): seven cards served a 27B model as seven replicas. Sessions
// were placed by hashing their id; three of seven cards stood idle while others filled to 93 %, and
// at 26 agent sessions of about 58k tokens the cached share of prompt tokens fell from 81 % to 28 %
// in 35 minutes. Then two things changed at once: placement by load, and 16 sessions instead of 26;
// the cached share held 78 to 79 %. Here each change stands alone.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/progress_bar.h"
#include "cli/sim_commands.h"
#include "cli/sim_flags.h"
#include "cli/text_table.h"
#include "sim/agent_sessions.h"
#include "sim/statistics.h"

namespace berth::cli {
namespace {

constexpr int kBadUsage = 2;
constexpr std::uint32_t kWindows = 18;    // of five minutes, in the ninety
constexpr std::uint32_t kAtMinute35 = 6;  // the window that ends there

struct SevenCardsFlags {
  SimFlags sim;
  std::vector<std::uint32_t> sessions = {26, 16};
  double minutes = 90;
  double think_s = 0;
};

// Contexts of about 58k tokens: 43k to 75k over 8 to 20 turns, the heavy context of the studies.
sim::AgentSessionSettings heavy_sessions(double think_s) {
  sim::AgentSessionSettings sessions;
  sessions.first_tokens = 40'000;
  sessions.first_spread = 0.3;
  sessions.turn_tokens = 1'200;
  sessions.output_tokens = 300;
  sessions.min_turns = 8;
  sessions.max_turns = 20;
  sessions.think_s = think_s;
  return sessions;
}

// What the 35th minute and all windows of one cell's runs came to.
struct Story {
  std::string policy;
  std::uint32_t sessions = 0;
  std::vector<double> busy;
  std::vector<double> idle_cards;  // cards that ran nothing for most of a window, at the worst
  std::vector<double> fullest;
  std::vector<double> first_share;
  std::vector<double> share_at_35;
  std::vector<double> last_share;
  std::vector<double> tokens_per_min;
};

double idle_cards(const sim::WindowResult& window) {
  constexpr double kIdle = 0.1;
  return static_cast<double>(
      std::count_if(window.replicas.begin(), window.replicas.end(),
                    [](const sim::ReplicaAccount& one) { return one.busy < kIdle; }));
}

void add_run(Story& story, const std::vector<const sim::Cell*>& windows) {
  double busy = 0;
  double idle = 0;
  double fullest = 0;
  double tokens = 0;
  for (const sim::Cell* cell : windows) {
    const sim::Measures& m = cell->result.measures;
    busy += m.replicas_busy / static_cast<double>(windows.size());
    tokens += m.output_tokens_per_min / static_cast<double>(windows.size());
    idle = std::max(idle, idle_cards(cell->result));
    fullest = std::max(fullest, m.kv_usage_max);
  }
  const auto share = [&](std::size_t window) {
    return 100 * windows[std::min(window, windows.size() - 1)]->result.measures.prefix_hit_ratio;
  };
  story.busy.push_back(busy);
  story.idle_cards.push_back(idle);
  story.fullest.push_back(100 * fullest);
  story.first_share.push_back(share(0));
  story.share_at_35.push_back(share(kAtMinute35));
  story.last_share.push_back(share(windows.size() - 1));
  story.tokens_per_min.push_back(tokens);
}

std::vector<Story> stories_of(const std::vector<sim::Cell>& cells) {
  std::vector<Story> stories;
  for (std::size_t i = 0; i < cells.size(); i += kWindows) {
    std::vector<const sim::Cell*> windows;
    for (std::size_t w = 0; w < kWindows; ++w) windows.push_back(&cells[i + w]);
    const sim::Cell& first = cells[i];
    const auto same = [&](const Story& story) {
      return story.policy == first.policy && story.sessions == first.stage.clients;
    };
    auto found = std::find_if(stories.begin(), stories.end(), same);
    if (found == stories.end()) {
      Story fresh;
      fresh.policy = first.policy;
      fresh.sessions = first.stage.clients;
      found = stories.insert(stories.end(), std::move(fresh));
    }
    add_run(*found, windows);
  }
  return stories;
}

std::string mean_text(const std::vector<double>& values, int digits) {
  return fmt::format("{:.{}f}", sim::mean(values), digits);
}

std::string story_table(const std::vector<Story>& stories, const Terminal& terminal) {
  TextTable table({{"placement", false},
                   {"sessions"},
                   {"cards busy"},
                   {"idle at worst"},
                   {"fullest KV %"},
                   {"cached % at first"},
                   {"at minute 35"},
                   {"at the end"},
                   {"tokens/min"}});
  for (const Story& s : stories) {
    table.add_row({{s.policy},
                   {fmt::format("{}", s.sessions)},
                   {mean_text(s.busy, 2)},
                   {mean_text(s.idle_cards, 1)},
                   {mean_text(s.fullest, 0)},
                   {mean_text(s.first_share, 0)},
                   {mean_text(s.share_at_35, 0)},
                   {mean_text(s.last_share, 0)},
                   {mean_text(s.tokens_per_min, 0)}});
  }
  table.add_rule();
  table.add_row({{"the story, hash", Style::kDim},
                 {"26"},
                 {"4 of 7"},
                 {"3"},
                 {"93"},
                 {"81"},
                 {"28"},
                 {"-"},
                 {"-"}});
  table.add_row({{"the story, by load", Style::kDim},
                 {"16"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"78-79"},
                 {"-"}});
  return table.text(terminal);
}

double value_of(const std::vector<Story>& stories, const std::string& policy,
                std::uint32_t sessions, std::vector<double> Story::* value) {
  for (const Story& s : stories) {
    if (s.policy == policy && s.sessions == sessions) return sim::mean(s.*value);
  }
  return 0;
}

// Which figure of the story follows from which of its changes, where both stand in the table.
void print_reading(const std::vector<Story>& stories, const SevenCardsFlags& flags) {
  const std::vector<std::string>& names = flags.sim.policies;
  if (names.size() != 2 || flags.sessions.size() != 2) return;
  const std::uint32_t many = flags.sessions[0];
  const std::uint32_t few = flags.sessions[1];
  const auto last = [&](const std::string& name, std::uint32_t n) {
    return value_of(stories, name, n, &Story::last_share);
  };
  const auto idle = [&](const std::string& name, std::uint32_t n) {
    return value_of(stories, name, n, &Story::idle_cards);
  };
  fmt::print(
      "\nPlacement alone ({0} sessions, {2} -> {3}): cached share at the end {4:.0f} -> {5:.0f} %, "
      "idle cards at worst {6:.1f} -> {7:.1f}.\n"
      "Fewer sessions alone ({2}, {0} -> {1}): cached share {4:.0f} -> {8:.0f} %, idle cards "
      "{6:.1f} -> {9:.1f}.\n"
      "Both: cached share {4:.0f} -> {10:.0f} %, idle cards {6:.1f} -> {11:.1f}.\n",
      many, few, names[0], names[1], last(names[0], many), last(names[1], many),
      idle(names[0], many), idle(names[1], many), last(names[0], few), idle(names[0], few),
      last(names[1], few), idle(names[1], few));
}

Result<void> run_seven_cards(const SevenCardsFlags& flags) {
  const sim::AgentSessions workload(heavy_sessions(flags.think_s));
  auto policies = policies_of(flags.sim);
  if (!policies) return tl::unexpected<Error>(std::move(policies.error()));
  auto world = world_of(flags.sim);
  if (!world) return tl::unexpected<Error>(std::move(world.error()));
  auto checked = sim::check_fleet(world->fleet, workload.largest_request());
  if (!checked) return checked;
  auto outputs = open_outputs(flags.sim);
  if (!outputs) return tl::unexpected<Error>(std::move(outputs.error()));

  sim::Run pattern;
  pattern.world = std::move(*world);
  pattern.workload = &workload;
  pattern.measured = Duration(static_cast<std::int64_t>(flags.minutes * 60e9));
  pattern.windows = kWindows;
  std::vector<sim::Run> runs;
  for (const std::uint32_t sessions : flags.sessions) {
    pattern.stages = {{sessions, {}}};
    for (sim::Run& run : runs_of(flags.sim, *policies, pattern)) runs.push_back(std::move(run));
  }
  sim::RowGroup group;
  group.context = {"seven-cards", "published"};
  {
    ProgressBar bar;
    group.cells = sim::run_all(runs, flags.sim.threads,
                               [&](std::size_t done, std::size_t all) { bar.show(done, all); });
  }
  if (!outputs->quiet) {
    const std::vector<Story> stories = stories_of(group.cells);
    fmt::print(
        "Seven cards: {} x {}, sessions of about 58k tokens, {:g} min from a cold start, "
        "{} seeds.\n\n{}",
        flags.sim.replicas, flags.sim.preset, flags.minutes, flags.sim.seeds,
        story_table(stories, Terminal::of_stdout()));
    print_reading(stories, flags);
  }
  return write_outputs(*outputs, {group});
}

int seven_cards(const SevenCardsFlags& flags) {
  const auto done = run_seven_cards(flags);
  if (done) return 0;
  fmt::print(stderr, "berth sim seven-cards: {}\n", done.error().message);
  return done.error().code == ErrorCode::kConfig ? kBadUsage : 1;
}

}  // namespace

void add_sim_seven_cards(CLI::App& sim, int& status) {
  CLI::App* command = sim.add_subcommand(
      "seven-cards", "Seven replicas of a 27B model: hash against load, 26 against 16 sessions");
  const auto flags = std::make_shared<SevenCardsFlags>();
  flags->sim.policies = {"session-hash", "on"};
  flags->sim.preset = "rtx5090-27b";
  flags->sim.replicas = 7;
  flags->sim.topology = "servers";
  flags->sim.seeds = 8;
  command->add_option("--sessions", flags->sessions, "Concurrent sessions")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command->add_option("--minutes", flags->minutes, "From a cold start, in 18 windows")
      ->check(CLI::Range(1.0, 100'000.0))
      ->capture_default_str();
  command->add_option("--think", flags->think_s, "Mean think time between turns, seconds")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  add_sim_flags(*command, flags->sim);
  command->footer(
      "`on` places new sessions by load and keeps them there; `least-loaded` sends every turn to\n"
      "the least loaded card.\n\n"
      "Example:\n  berth sim seven-cards\n  berth sim seven-cards --think 20 --json rows.json");
  command->callback([flags, &status] { status = seven_cards(*flags); });
}

}  // namespace berth::cli
