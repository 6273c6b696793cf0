#include "cli/status_text.h"

#include <fmt/format.h>

#include <array>

#include "cli/human.h"
#include "cli/json_field.h"
#include "cli/text_table.h"

namespace berth::cli {
namespace {

using console::Json;

std::string count_text(const Json& value) {
  const auto n = as_count(value);
  return n ? thousands(*n) : "-";
}

// Resident tokens against the capacity: "38.2k/40.0k"; past it the caches cannot hold what they
// should.
Cell working_set_cell(const Json& row, Style style) {
  const auto tokens = as_count(field(row, "resident_tokens"));
  const auto capacity = as_count(field(row, "kv_capacity_tokens"));
  if (!tokens) return {"-", style};
  if (!capacity) return {compact(*tokens), style};
  return {fmt::format("{}/{}", compact(*tokens), compact(*capacity)),
          *tokens > *capacity ? Style::kWarn : style};
}

Cell state_cell(const Json& replica) {
  const std::string state = as_text(field(replica, "state"));
  const auto since = as_number(field(replica, "state_since_s"));
  Cell cell{state.empty() ? "-" : state, Style::kWarn};
  if (state == "up") cell.style = Style::kGood;
  if (state == "down") cell.style = Style::kBad;
  if (since) cell.text += " " + duration(*since);
  return cell;
}

constexpr std::array kCounts = {"requests", "sticky",  "placed",  "overflow", "moved",
                                "failover", "unbound", "running", "waiting",  "in_flight"};

std::vector<Column> columns() {
  return {{"replica", false}, {"requests"}, {"sticky"},      {"placed"},
          {"overflow"},       {"moved"},    {"failover"},    {"unbound"},
          {"running"},        {"waiting"},  {"in flight"},   {"KV use"},
          {"prefix hits"},    {"resident"}, {"working set"}, {"state", false}};
}

std::vector<Cell> row_of(const Json& row, std::string name, Cell state, Style style) {
  std::vector<Cell> cells{{std::move(name), style}};
  for (const char* key : kCounts) cells.push_back({count_text(field(row, key)), style});
  cells.push_back({percent(as_number(field(row, "kv_usage"))), style});
  cells.push_back({percent(as_number(field(row, "prefix_hit_share"))), style});
  cells.push_back({count_text(field(row, "resident")), style});
  cells.push_back(working_set_cell(row, style));
  cells.push_back(std::move(state));
  return cells;
}

// Requests sent to a server without a rank; nothing when there were none.
std::vector<Cell> engine_choice_row(const Json& model) {
  const Json& unranked = field(model, "unranked");
  const auto requests = as_count(field(unranked, "requests")).value_or(0);
  const auto in_flight = as_count(field(unranked, "in_flight")).value_or(0);
  if (requests + in_flight == 0) return {};
  std::vector<Cell> cells(columns().size(), Cell{"-", Style::kDim});
  cells[0].text = "(engine's choice)";
  cells[1].text = thousands(requests);
  cells[7].text = thousands(requests);
  cells[10].text = thousands(in_flight);
  cells.back().text.clear();
  return cells;
}

std::string table_text(const Json& model, const Terminal& terminal) {
  TextTable table(columns());
  for (const Json& replica : field(model, "replicas")) {
    const bool operator_drain = field(replica, "operator_drain") == Json(true);
    Cell state = state_cell(replica);
    if (operator_drain) state.text += ", drained by operator";
    if (field(replica, "stale") == Json(true)) state.text += ", no fresh scrape";
    table.add_row(
        row_of(replica, as_text(field(replica, "label")), std::move(state), Style::kPlain));
  }
  if (auto row = engine_choice_row(model); !row.empty()) table.add_row(std::move(row));
  table.add_rule();
  table.add_row(row_of(field(model, "totals"), "total", Cell{}, Style::kBold));
  return table.text(terminal);
}

// The parts three blanks apart, on as many lines as the width asks for.
std::string joined(const std::vector<std::string>& parts, const Terminal& terminal) {
  std::string out;
  std::size_t width = 0;
  for (const std::string& part : parts) {
    const bool fits = !terminal.width || width + 3 + part.size() <= *terminal.width;
    if (!out.empty()) out += fits ? "   " : "\n  ";
    width = out.empty() ? part.size() : (fits ? width + 3 : 2) + part.size();
    out += part;
  }
  return out + '\n';
}

std::string heading(const Json& model, const Terminal& terminal) {
  const std::string name = as_text(field(model, "name"));
  const std::string policy = as_text(field(model, "policy"));
  std::vector<std::string> parts{name};
  parts.emplace_back(field(model, "affinity") == Json(true) ? "affinity on" : "affinity off");
  if (!policy.empty() && policy != "sticky") parts.push_back("policy " + policy);
  parts.push_back("overflow threshold " +
                  as_text(field(field(model, "overflow_threshold"), "text")));
  parts.push_back("sticky share " + percent(as_number(field(model, "sticky_share"))));
  parts.push_back("conversations bound " + count_text(field(model, "bindings")));
  const std::string line = joined(parts, terminal);
  return terminal.styled(name, Style::kBold) + line.substr(name.size());
}

std::string not_dispatched(const Json& model) {
  const Json& outcomes = field(model, "outcomes");
  const auto refused = as_count(field(outcomes, "refused")).value_or(0);
  const auto abandoned = as_count(field(outcomes, "abandoned")).value_or(0);
  if (refused + abandoned == 0) return {};
  return fmt::format("Never sent to a replica: {} refused, {} abandoned by the client.\n",
                     thousands(refused), thousands(abandoned));
}

std::string model_text(const Json& model, const Terminal& terminal) {
  std::string out = heading(model, terminal);
  if (field(model, "replicas").empty()) {
    out += "No replica yet.\n";
  } else {
    out += table_text(model, terminal);
  }
  out += not_dispatched(model);
  for (const Json& advice : field(model, "advice")) {
    out += terminal.styled("! " + as_text(advice), Style::kWarn) + '\n';
  }
  return out;
}

std::string server_lines(const Json& snapshot, const Terminal& terminal) {
  std::string out;
  for (const Json& server : field(snapshot, "servers")) {
    const std::string health = as_text(field(server, "health"));
    if (health == "up") continue;
    const auto since = as_number(field(server, "health_since_s"));
    const std::string why = as_text(field(server, "why"));
    std::string line = fmt::format("server {} is {}", as_text(field(server, "url")), health);
    if (since) line += " for " + duration(*since);
    if (!why.empty()) line += ": " + why;
    out += terminal.styled(line, health == "down" ? Style::kBad : Style::kWarn) + '\n';
  }
  return out;
}

}  // namespace

std::string status_text(const Json& snapshot, const Terminal& terminal) {
  std::string out = fmt::format("Since {} ({}).", as_text(field(snapshot, "started")),
                                duration(as_number(field(snapshot, "uptime_s")).value_or(0)));
  if (field(snapshot, "draining") == Json(true)) {
    out += terminal.styled(" Berth is shutting down.", Style::kWarn);
  }
  out += '\n';
  out += server_lines(snapshot, terminal);
  if (field(snapshot, "models").empty()) out += "No model found on any server yet.\n";
  for (const Json& model : field(snapshot, "models")) {
    out += '\n' + model_text(model, terminal);
  }
  return out;
}

}  // namespace berth::cli
