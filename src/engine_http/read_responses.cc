// OpenAI's responses: instructions and a list of input items.
//
// Source: vllm/entrypoints/openai/responses/utils.py (construct_input_messages): a function_call
// that follows the assistant's message belongs to the same turn. Reasoning items are dropped, as
// chat templates drop them.
#include <fmt/format.h>

#include <utility>

#include "engine_http/read_fields.h"

namespace berth::engine_http {
namespace {

class Reader {
 public:
  ApiResult<Conversation> read(const Json& body) {
    conversation_.add_system(string_member(body, "instructions"), "");
    read_tools(member(body, "tools"));
    const Json* input = member(body, "input");
    if (input == nullptr) return invalid_field("missing", "input", "Field required");
    if (input->is_string()) {
      add({.role = Role::kUser, .text = input->get<std::string>(), .calls = {}});
      return std::move(conversation_);
    }
    if (!input->is_array()) {
      return invalid_field("list_type", "input", "Input should be a valid list");
    }
    for (const Json& item : *input) read_item(item);
    return std::move(conversation_);
  }

 private:
  void read_tools(const Json* tools) {
    if (tools == nullptr || !tools->is_array()) return;
    for (const Json& tool : *tools) {
      if (string_member(tool, "type") != "function") continue;
      const Json* parameters = member(tool, "parameters");
      conversation_.tools.push_back(
          {.name = string_member(tool, "name"),
           .description = string_member(tool, "description"),
           .parameters = parameters == nullptr ? "" : canonical(*parameters)});
    }
  }

  void read_item(const Json& item) {
    const std::string type = string_member(item, "type", "message");
    if (type == "message") {
      read_message(item);
    } else if (type == "function_call") {
      assistant().calls.push_back(
          {.id = string_member(item, "call_id"),
           .name = string_member(item, "name"),
           .arguments = canonical_arguments(string_member(item, "arguments"))});
    } else if (type == "custom_tool_call") {
      assistant().calls.push_back({.id = string_member(item, "call_id"),
                                   .name = string_member(item, "name"),
                                   .arguments = string_member(item, "input")});
    } else if (type.ends_with("_call_output")) {
      add({.role = Role::kTool, .text = text_of(member(item, "output")), .calls = {}});
    }
  }

  void read_message(const Json& item) {
    const std::string role = string_member(item, "role");
    std::string text = text_of(member(item, "content"));
    if (role == "assistant") {
      Turn& turn = assistant();
      if (!turn.text.empty()) turn.text += '\n';
      turn.text += text;
    } else if (role == "system" || role == "developer") {
      if (leading_) {
        conversation_.add_system(text, "\n\n");
      } else {
        add({.role = Role::kSystem, .text = std::move(text), .calls = {}});
      }
    } else {
      add({.role = Role::kUser, .text = std::move(text), .calls = {}});
    }
  }

  void add(Turn turn) {
    leading_ = false;
    conversation_.turns.push_back(std::move(turn));
  }

  // The assistant's turn under way, or a new one.
  Turn& assistant() {
    if (conversation_.turns.empty() || conversation_.turns.back().role != Role::kAssistant) {
      add({.role = Role::kAssistant, .text = {}, .calls = {}});
    }
    leading_ = false;
    return conversation_.turns.back();
  }

  Conversation conversation_;
  bool leading_ = true;
};

}  // namespace

ApiResult<GenerateRequest> read_responses(const Json& body) {
  GenerateRequest request;
  request.api = Api::kResponses;
  request.model = string_member(body, "model");
  if (const std::string previous = string_member(body, "previous_response_id"); !previous.empty()) {
    // vLLM stores no responses unless VLLM_ENABLE_RESPONSES_API_STORE is set.
    return tl::unexpected<ApiError>(
        ApiError{404, "invalid_request_error",
                 fmt::format("Response with id '{}' not found.", previous), "response_id", false});
  }
  auto conversation = Reader().read(body);
  if (!conversation) return tl::unexpected<ApiError>(std::move(conversation.error()));
  request.conversation = std::move(*conversation);
  const auto max_tokens = read_count(body, "max_output_tokens");
  if (!max_tokens) return tl::unexpected<ApiError>(max_tokens.error());
  request.max_tokens = *max_tokens;
  request.stream = bool_member(body, "stream");
  if (auto read = read_openai_options(body, request); !read) {
    return tl::unexpected<ApiError>(std::move(read.error()));
  }
  for (const char* name :
       {"instructions", "metadata", "parallel_tool_calls", "temperature", "tool_choice", "tools",
        "top_p", "max_tool_calls", "reasoning", "service_tier", "text", "truncation", "user"}) {
    if (const Json* value = member(body, name); value != nullptr) request.echo[name] = *value;
  }
  request.prompt = render_prompt(request.conversation);
  return request;
}

}  // namespace berth::engine_http
