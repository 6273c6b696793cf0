#include "cli/sim_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "cli/human.h"
#include "cli/text_table.h"
#include "sim/explain.h"
#include "sim/published.h"
#include "sim/statistics.h"

namespace berth::cli {
namespace {

using sim::Measures;

struct MeasureColumn {
  const char* name;
  double Measures::* value;
  double scale;
  int digits;
  bool published;
};

// In the order of the published table, with what it does not have at the end.
constexpr MeasureColumn kReferenceColumns[] = {
    {"sessions/h", &Measures::sessions_per_hour, 1, 0, true},
    {"tokens/min", &Measures::output_tokens_per_min, 1, 0, true},
    {"p50 s", &Measures::ttfb_p50_s, 1, 2, true},
    {"p95 s", &Measures::ttfb_p95_s, 1, 1, true},
    {"busy", &Measures::replicas_busy, 1, 2, true},
    {"hits %", &Measures::prefix_hit_ratio, 100, 1, true},
    {"hits/try %", &Measures::prefix_hit_ratio_per_attempt, 100, 1, false},
    {"stayed %", &Measures::stayed_ratio, 100, 1, true},
    {"p95 KM s", &Measures::ttfb_p95_km_s, 1, 1, false},
    {"longest s", &Measures::ttfb_max_s, 1, 1, false},
    {"session s", &Measures::session_mean_s, 1, 0, false},
};

constexpr MeasureColumn kTraceColumns[] = {
    {"turns/min", &Measures::turns_per_min, 1, 1, false},
    {"tokens/min", &Measures::output_tokens_per_min, 1, 0, false},
    {"p50 s", &Measures::ttfb_p50_s, 1, 2, false},
    {"p95 s", &Measures::ttfb_p95_s, 1, 1, false},
    {"p95 KM s", &Measures::ttfb_p95_km_s, 1, 1, false},
    {"longest s", &Measures::ttfb_max_s, 1, 1, false},
    {"busy", &Measures::replicas_busy, 1, 2, false},
    {"hits %", &Measures::prefix_hit_ratio, 100, 1, false},
    {"again/min", &Measures::reread_tokens_per_min, 1, 0, false},
    {"stayed %", &Measures::stayed_ratio, 100, 1, false},
    {"session s", &Measures::session_mean_s, 1, 0, false},
    {"session p95 KM s", &Measures::session_p95_km_s, 1, 0, false},
};

std::span<const MeasureColumn> columns_of(TableKind kind) {
  if (kind == TableKind::kReference) return kReferenceColumns;
  return kTraceColumns;
}

std::string number(double value, int digits) {
  if (digits == 0) return thousands(static_cast<std::uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, digits);
}

std::string stage_text(const sim::Stage& stage) {
  if (stage.ratio) return fmt::format("{:g} ({})", *stage.ratio, stage.clients);
  return fmt::format("{}", stage.clients);
}

using Group = std::pair<sim::Stage, std::vector<const sim::Cell*>>;

// Cells of one stage and policy, the stages in their order, the policies in theirs.
std::vector<Group> groups_of(const std::vector<sim::Cell>& cells) {
  std::vector<Group> groups;
  for (const sim::Cell& cell : cells) {
    const auto same = [&](const Group& group) {
      return group.second.front()->policy == cell.policy &&
             group.first.clients == cell.stage.clients && group.first.ratio == cell.stage.ratio;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({cell.stage, {&cell}});
    } else {
      found->second.push_back(&cell);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::tie(a.first.ratio, a.first.clients) < std::tie(b.first.ratio, b.first.clients);
  });
  return groups;
}

std::vector<Cell> row(TableKind kind, const std::string& stage, const std::string& policy,
                      const std::vector<const sim::Cell*>& cells) {
  std::vector<Cell> out = {{stage}, {policy}};
  for (const MeasureColumn& column : columns_of(kind)) {
    std::vector<double> values;
    for (const sim::Cell* cell : cells) {
      values.push_back(cell->result.measures.*column.value * column.scale);
    }
    out.push_back({spread_text(values, column.digits)});
  }
  return out;
}

void add_published(TextTable& table, std::uint32_t sessions) {
  for (const bool affinity : {false, true}) {
    const sim::PublishedCell* cell = sim::published_cell(sessions, affinity);
    if (cell == nullptr) continue;
    std::vector<Cell> out = {{""}, {affinity ? "published on" : "published off", Style::kDim}};
    for (const MeasureColumn& column : kReferenceColumns) {
      const double value = cell->measures.*column.value * column.scale;
      const bool known = column.published && value > 0;
      out.push_back({known ? number(value, column.digits) : "-", Style::kDim});
    }
    table.add_row(std::move(out));
  }
}

}  // namespace

std::string spread_text(const std::vector<double>& values, int digits) {
  const std::string middle = number(sim::mean(values), digits);
  if (values.size() < 2) return middle;
  return middle + "+-" + number(sim::deviation(values), digits);
}

std::string sim_table(const std::vector<sim::Cell>& cells, TableKind kind,
                      const Terminal& terminal) {
  const bool ratio = !cells.empty() && cells.front().stage.ratio.has_value();
  std::vector<Column> columns = {{ratio ? "ratio (sessions)" : "sessions"}, {"policy", false}};
  for (const MeasureColumn& column : columns_of(kind)) columns.push_back({column.name});
  TextTable table(std::move(columns));
  const std::vector<Group> groups = groups_of(cells);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& [stage, of] = groups[i];
    const bool first = i == 0 || groups[i - 1].first.clients != stage.clients ||
                       groups[i - 1].first.ratio != stage.ratio;
    if (first && i > 0) table.add_rule();
    table.add_row(row(kind, first ? stage_text(stage) : "", of.front()->policy, of));
    const bool last = i + 1 == groups.size() || groups[i + 1].first.clients != stage.clients;
    if (kind == TableKind::kReference && last) add_published(table, stage.clients);
  }
  return table.text(terminal);
}

void print_explanations(const std::vector<sim::Cell>& cells, std::uint64_t first_seed) {
  for (const sim::Cell& cell : cells) {
    if (cell.seed != first_seed) continue;
    fmt::print("\n{}, {} sessions:\n", cell.policy, cell.stage.clients);
    for (const std::string& line : sim::explain(cell.result)) fmt::print("  {}\n", line);
  }
}

}  // namespace berth::cli
