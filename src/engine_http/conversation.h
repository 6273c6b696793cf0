// A conversation, whatever API shape carried it, and its tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine_http/tokens.h"

namespace berth::engine_http {

enum class Role : std::uint8_t { kSystem, kUser, kAssistant, kTool };

struct ToolCall {
  std::string id;  // not part of the prompt
  std::string name;
  std::string arguments;  // canonical JSON where it is JSON
};

struct ToolDefinition {
  std::string name;
  std::string description;
  std::string parameters;  // canonical JSON schema
};

// One turn. Several blocks of text are one text; a tool's result is a turn of its own.
struct Turn {
  Role role = Role::kUser;
  std::string text;
  std::vector<ToolCall> calls;  // of an assistant
};

struct Conversation {
  std::vector<ToolDefinition> tools;
  std::vector<Turn> turns;  // a leading system turn holds the system prompt

  bool has_tool(std::string_view name) const;
  // Adds to the system prompt at the front.
  void add_system(std::string_view text, std::string_view separator);
};

// The prompt: system prompt, tools, turns, and the mark that opens the assistant's answer.
std::vector<Token> render_prompt(const Conversation& conversation);
// What the assistant generates for that turn; as history it has the same tokens.
std::vector<Token> render_answer(const Turn& answer);

}  // namespace berth::engine_http
