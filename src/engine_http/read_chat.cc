// OpenAI's chat completions.
#include <fmt/format.h>

#include <utility>

#include "engine_http/read_fields.h"

namespace berth::engine_http {
namespace {

std::vector<ToolDefinition> read_tools(const Json* tools) {
  std::vector<ToolDefinition> out;
  if (tools == nullptr || !tools->is_array()) return out;
  for (const Json& tool : *tools) {
    const Json* function = member(tool, "function");
    if (function == nullptr) continue;
    const Json* parameters = member(*function, "parameters");
    out.push_back({.name = string_member(*function, "name"),
                   .description = string_member(*function, "description"),
                   .parameters = parameters == nullptr ? "" : canonical(*parameters)});
  }
  return out;
}

std::vector<ToolCall> read_calls(const Json* calls) {
  std::vector<ToolCall> out;
  if (calls == nullptr || !calls->is_array()) return out;
  for (const Json& call : *calls) {
    const Json* function = member(call, "function");
    if (function == nullptr) continue;
    out.push_back({.id = string_member(call, "id"),
                   .name = string_member(*function, "name"),
                   .arguments = canonical_arguments(string_member(*function, "arguments"))});
  }
  return out;
}

bool is_leading(const Conversation& conversation) {
  return conversation.turns.empty() ||
         (conversation.turns.size() == 1 && conversation.turns.front().role == Role::kSystem);
}

ApiResult<void> read_message(const Json& message, std::size_t index, Conversation& conversation) {
  const std::string role = string_member(message, "role");
  std::string text = text_of(member(message, "content"));
  if (role == "system" || role == "developer") {
    if (is_leading(conversation)) {
      conversation.add_system(text, "\n\n");
    } else {
      conversation.turns.push_back({.role = Role::kSystem, .text = std::move(text), .calls = {}});
    }
  } else if (role == "user") {
    conversation.turns.push_back({.role = Role::kUser, .text = std::move(text), .calls = {}});
  } else if (role == "assistant") {
    conversation.turns.push_back({.role = Role::kAssistant,
                                  .text = std::move(text),
                                  .calls = read_calls(member(message, "tool_calls"))});
  } else if (role == "tool" || role == "function") {
    conversation.turns.push_back({.role = Role::kTool, .text = std::move(text), .calls = {}});
  } else {
    return invalid_field("literal_error", fmt::format("messages.{}.role", index),
                         "Input should be a known role");
  }
  return {};
}

}  // namespace

ApiResult<Conversation> read_chat_conversation(const Json& body) {
  Conversation conversation;
  conversation.tools = read_tools(member(body, "tools"));
  const Json* messages = member(body, "messages");
  if (messages == nullptr) return invalid_field("missing", "messages", "Field required");
  if (!messages->is_array()) {
    return invalid_field("list_type", "messages", "Input should be a valid list");
  }
  std::size_t index = 0;
  for (const Json& message : *messages) {
    if (auto read = read_message(message, index++, conversation); !read) {
      return tl::unexpected<ApiError>(std::move(read.error()));
    }
  }
  return conversation;
}

ApiResult<GenerateRequest> read_chat(const Json& body) {
  GenerateRequest request;
  request.api = Api::kChat;
  request.model = string_member(body, "model");
  auto conversation = read_chat_conversation(body);
  if (!conversation) return tl::unexpected<ApiError>(std::move(conversation.error()));
  request.conversation = std::move(*conversation);
  for (const char* field : {"max_tokens", "max_completion_tokens"}) {
    const auto count = read_count(body, field);
    if (!count) return tl::unexpected<ApiError>(count.error());
    if (*count) request.max_tokens = *count;
  }
  if (auto read = read_stream(body, request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  if (auto read = read_openai_options(body, request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  request.prompt = render_prompt(request.conversation);
  return request;
}

}  // namespace berth::engine_http
