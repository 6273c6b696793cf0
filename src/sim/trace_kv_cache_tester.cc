// kv-cache-tester's JSON files. Format: docs/trace_replay_tester.md of callanjfox/kv-cache-tester.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/file_text.h"
#include "sim/json_fields.h"
#include "sim/trace.h"

namespace berth::sim {
namespace {

using nlohmann::json;

// A request as it stands in the file.
struct Entry {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::vector<std::uint64_t> ids;
  double time_s = 0;
  double think_s = -1;  // not given
  bool repeated = false;
};

Result<Entry> entry_of(const JsonFields& fields) {
  Entry out;
  const auto prompt = fields.tokens("in");
  if (!prompt) return tl::unexpected<Error>(prompt.error());
  const auto output = fields.tokens("out");
  if (!output) return tl::unexpected<Error>(output.error());
  auto ids = fields.ids("hash_ids");
  if (!ids) return tl::unexpected<Error>(ids.error());
  for (const auto& [name, to] : {std::pair{"t", &out.time_s}, {"think_time", &out.think_s}}) {
    if (!fields.has(name)) continue;
    const auto value = fields.seconds(name);
    if (!value) return tl::unexpected<Error>(value.error());
    *to = *value;
  }
  if (*prompt == 0) return fields.wrong("in", "a prompt has at least one token");
  out.prompt_tokens = *prompt;
  out.output_tokens = std::max(1U, *output);
  out.ids = std::move(*ids);
  out.repeated = fields.text("type") == "n";
  return out;
}

class Reader {
 public:
  Reader(std::string place, std::uint32_t block_tokens)
      : place_(std::move(place)), block_tokens_(block_tokens) {}

  // The conversation of a list of requests, with the subagents in it.
  Result<ConversationPlan> conversation(const json& owner) {
    const auto requests = owner.find("requests");
    if (requests == owner.end() || !requests->is_array()) {
      return fail(ErrorCode::kConfig, place_ + ": requests: it is missing or not a list");
    }
    const std::string above = place_;
    for (std::size_t i = 0; i < requests->size(); ++i) {
      place_ = fmt::format("{}{}requests[{}]", above, above.ends_with(']') ? "." : ": ", i);
      auto taken = take((*requests)[i]);
      if (!taken) return tl::unexpected<Error>(std::move(taken.error()));
    }
    return std::move(plan_);
  }

 private:
  Result<void> take(const json& item) {
    if (!item.is_object()) return fail(ErrorCode::kConfig, place_ + ": not a JSON object");
    const JsonFields fields(item, place_);
    if (fields.text("type") == "subagent") {
      auto child = Reader(place_, block_tokens_).conversation(item);
      if (!child) return tl::unexpected<Error>(std::move(child.error()));
      if (!child->turns.empty()) children_.push_back(std::move(*child));
      return {};
    }
    auto entry = entry_of(fields);
    if (!entry) return tl::unexpected<Error>(std::move(entry.error()));
    add(std::move(*entry));
    return {};
  }

  void add(Entry entry) {
    const bool first = plan_.turns.empty();
    if (!first && entry.repeated && entry.prompt_tokens == last_.prompt_tokens &&
        entry.ids == last_.ids) {
      last_.time_s = entry.time_s;
      return;
    }
    const auto same =
        std::mismatch(entry.ids.begin(), entry.ids.end(), last_.ids.begin(), last_.ids.end());
    const auto common = static_cast<std::uint32_t>(same.first - entry.ids.begin());
    TurnPlan turn;
    turn.prompt_tokens = entry.prompt_tokens;
    turn.output_tokens = entry.output_tokens;
    turn.kept_tokens = first ? 0 : std::min(common * block_tokens_, entry.prompt_tokens);
    const double passed = std::max(0.0, entry.time_s - last_.time_s);
    const double gap = entry.think_s >= 0 ? entry.think_s : passed;
    turn.gap = Duration(static_cast<std::int64_t>((first ? 0 : gap) * 1e9));
    turn.children = std::exchange(children_, {});
    plan_.turns.push_back(std::move(turn));
    last_ = std::move(entry);
  }

  std::string place_;
  std::uint32_t block_tokens_;
  ConversationPlan plan_;
  std::vector<ConversationPlan> children_;
  Entry last_;
};

Result<ConversationPlan> read_one(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected<Error>(text.error());
  const auto object = parse_object(*text, path);
  if (!object) return tl::unexpected<Error>(object.error());
  const JsonFields fields(*object, path);
  const auto block = fields.tokens("block_size");
  if (!block) return tl::unexpected<Error>(block.error());
  if (*block == 0) return fields.wrong("block_size", "it must be at least 1");
  return Reader(path, *block).conversation(*object);
}

}  // namespace

Result<Conversations> read_kv_cache_tester(const std::string& path) {
  const auto files = files_of(path, ".json");
  if (!files) return tl::unexpected<Error>(files.error());
  Conversations out;
  for (const std::string& file : *files) {
    auto plan = read_one(file);
    if (!plan) return tl::unexpected<Error>(std::move(plan.error()));
    if (!plan->turns.empty()) out.push_back(std::move(*plan));
  }
  if (out.empty()) {
    return fail(ErrorCode::kConfig, fmt::format("{}: there is no request in it", path));
  }
  return out;
}

}  // namespace berth::sim
