#include "engine_http/conversation.h"

#include <algorithm>

namespace berth::engine_http {
namespace {

Mark mark_of(Role role) {
  switch (role) {
    case Role::kSystem:
      return Mark::kSystem;
    case Role::kAssistant:
      return Mark::kAssistant;
    case Role::kTool:
      return Mark::kToolResult;
    case Role::kUser:
      break;
  }
  return Mark::kUser;
}

void append_tools(std::vector<Token>& tokens, const std::vector<ToolDefinition>& tools) {
  for (const ToolDefinition& tool : tools) {
    tokens.push_back(mark_token(Mark::kToolDefinition));
    append_text(tokens, tool.name);
    append_text(tokens, tool.description);
    append_text(tokens, tool.parameters);
  }
}

// Everything after the role's mark.
void append_body(std::vector<Token>& tokens, const Turn& turn) {
  append_text(tokens, turn.text);
  for (const ToolCall& call : turn.calls) {
    tokens.push_back(mark_token(Mark::kCallName));
    append_text(tokens, call.name);
    tokens.push_back(mark_token(Mark::kCallArguments));
    append_text(tokens, call.arguments);
  }
  tokens.push_back(mark_token(Mark::kEnd));
}

}  // namespace

bool Conversation::has_tool(std::string_view name) const {
  return std::any_of(tools.begin(), tools.end(),
                     [name](const ToolDefinition& tool) { return tool.name == name; });
}

void Conversation::add_system(std::string_view text, std::string_view separator) {
  if (text.empty()) return;
  if (turns.empty() || turns.front().role != Role::kSystem) {
    turns.insert(turns.begin(), {.role = Role::kSystem, .text = std::string(text), .calls = {}});
    return;
  }
  turns.front().text.append(separator).append(text);
}

std::vector<Token> render_prompt(const Conversation& conversation) {
  std::vector<Token> tokens;
  auto turn = conversation.turns.begin();
  const bool has_system = turn != conversation.turns.end() && turn->role == Role::kSystem;
  if (has_system || !conversation.tools.empty()) {
    tokens.push_back(mark_token(Mark::kSystem));
    if (has_system) append_text(tokens, (turn++)->text);
    append_tools(tokens, conversation.tools);
    tokens.push_back(mark_token(Mark::kEnd));
  }
  for (; turn != conversation.turns.end(); ++turn) {
    tokens.push_back(mark_token(mark_of(turn->role)));
    append_body(tokens, *turn);
  }
  tokens.push_back(mark_token(Mark::kAssistant));
  return tokens;
}

std::vector<Token> render_answer(const Turn& answer) {
  std::vector<Token> tokens;
  append_body(tokens, answer);
  return tokens;
}

}  // namespace berth::engine_http
