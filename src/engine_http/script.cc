#include "engine_http/script.h"

#include <fmt/format.h>

#include "engine_http/json.h"

namespace berth::engine_http {
namespace {

constexpr std::string_view kPrefix = "berth-script:";

Turn say(std::string text) {
  return {.role = Role::kAssistant, .text = std::move(text), .calls = {}};
}

// What follows the prefix on the last line that begins with it.
std::optional<std::string_view> script_line(std::string_view text) {
  std::optional<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(kPrefix)) found = line.substr(kPrefix.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

// False if the call is not {"tool": NAME, "args": {...}}.
bool add_call(const Json& call, Turn& answer) {
  const std::string name = string_member(call, "tool");
  const Json* args = member(call, "args");
  if (name.empty() || (args != nullptr && !args->is_object())) return false;
  answer.calls.push_back(
      {.id = {}, .name = name, .arguments = args == nullptr ? "{}" : canonical(*args)});
  return true;
}

std::optional<Turn> read_step(const Json& step) {
  Turn answer = say(string_member(step, "text"));
  if (member(step, "tool") != nullptr && !add_call(step, answer)) return std::nullopt;
  if (const Json* tools = member(step, "tools"); tools != nullptr) {
    if (!tools->is_array()) return std::nullopt;
    for (const Json& call : *tools) {
      if (!add_call(call, answer)) return std::nullopt;
    }
  }
  if (answer.text.empty() && answer.calls.empty()) return std::nullopt;
  return answer;
}

Turn answer_of(std::string_view line, std::size_t turn, const Conversation& conversation) {
  const std::optional<Json> script = parse_json(line);
  if (!script || !script->is_array() || script->empty()) {
    return say("The berth-script line is not a JSON array of steps.");
  }
  const std::size_t index = std::min(turn, script->size() - 1);
  std::optional<Turn> answer = read_step((*script)[index]);
  if (!answer) {
    return say(
        fmt::format("Step {} of the berth-script is neither a text nor a tool call.", index));
  }
  for (const ToolCall& call : answer->calls) {
    if (!conversation.has_tool(call.name)) {
      return say(fmt::format(
          "The berth-script asks for the tool {}, which this request does not offer.", call.name));
    }
  }
  return std::move(*answer);
}

}  // namespace

std::optional<Turn> scripted_answer(const Conversation& conversation) {
  std::size_t answers_after = 0;
  for (auto turn = conversation.turns.rbegin(); turn != conversation.turns.rend(); ++turn) {
    if (turn->role == Role::kAssistant) ++answers_after;
    if (turn->role != Role::kUser) continue;
    if (const auto line = script_line(turn->text)) {
      return answer_of(*line, answers_after, conversation);
    }
  }
  return std::nullopt;
}

}  // namespace berth::engine_http
