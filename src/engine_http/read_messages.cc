// Anthropic's messages, turned into turns the way vLLM turns them into chat messages.
//
// Source: vllm/entrypoints/anthropic/serving.py (_convert_messages) and inline_system.py: the
// billing block is dropped; leading system turns join the system prompt; later ones stay in place,
// but not between a tool call and its result; tool results become turns of their own before the
// rest of the user's turn; thinking is dropped as chat templates drop it from history.
#include <fmt/format.h>

#include <utility>

#include "engine_http/read_fields.h"

namespace berth::engine_http {
namespace {

constexpr std::string_view kBillingHeader = "x-anthropic-billing-header";
constexpr std::string_view kSystemSeparator = "\n\n";

bool is_billing(std::string_view text) { return text.starts_with(kBillingHeader); }

// System text: blocks are joined without a separator.
std::string system_text(const Json* content) {
  if (content == nullptr) return {};
  if (content->is_string()) {
    const auto& text = content->get_ref<const std::string&>();
    return is_billing(text) ? std::string() : text;
  }
  std::string text;
  if (!content->is_array()) return text;
  for (const Json& block : *content) {
    const std::string piece = string_member(block, "text");
    if (string_member(block, "type") == "text" && !is_billing(piece)) text += piece;
  }
  return text;
}

std::string image_url(const Json& block) {
  const Json* source = member(block, "source");
  if (source == nullptr) return {};
  if (string_member(*source, "type") == "url") return string_member(*source, "url");
  return fmt::format("data:{};base64,{}", string_member(*source, "media_type", "image/jpeg"),
                     string_member(*source, "data"));
}

// The content of a tool result: text and images, without the API's own image form.
std::string result_text(const Json& block) {
  const Json* content = member(block, "content");
  if (content == nullptr || content->is_string()) return text_of(content);
  Json parts = Json::array();
  for (const Json& part : *content) {
    if (string_member(part, "type") == "image") {
      parts.push_back(image_text(image_url(part)));
    } else {
      parts.push_back(part);
    }
  }
  return text_of(&parts);
}

void add_text(Turn& turn, bool& has_text, std::string_view text) {
  if (has_text) turn.text += '\n';
  turn.text += text;
  has_text = true;
}

class Reader {
 public:
  ApiResult<Conversation> read(const Json& body) {
    conversation_.add_system(system_text(member(body, "system")), "");
    read_tools(member(body, "tools"));
    const Json* messages = member(body, "messages");
    if (messages == nullptr) return invalid_field("missing", "messages", "Field required");
    if (!messages->is_array()) {
      return invalid_field("list_type", "messages", "Input should be a valid list");
    }
    std::size_t index = 0;
    for (const Json& message : *messages) {
      if (auto read = read_message(message, index++); !read) {
        return tl::unexpected<ApiError>(std::move(read.error()));
      }
    }
    release_held();
    return std::move(conversation_);
  }

 private:
  void read_tools(const Json* tools) {
    if (tools == nullptr || !tools->is_array()) return;
    for (const Json& tool : *tools) {
      const Json* schema = member(tool, "input_schema");
      conversation_.tools.push_back({.name = string_member(tool, "name"),
                                     .description = string_member(tool, "description"),
                                     .parameters = schema == nullptr ? "" : canonical(*schema)});
    }
  }

  ApiResult<void> read_message(const Json& message, std::size_t index) {
    const std::string role = string_member(message, "role");
    const Json* content = member(message, "content");
    if (content == nullptr || !(content->is_string() || content->is_array())) {
      return invalid_field("missing", fmt::format("messages.{}.content", index), "Field required");
    }
    if (role == "system") {
      add_inline_system(system_text(content));
    } else if (role == "assistant") {
      release_held();
      add_assistant(*content);
    } else if (role == "user" || role == "ctx" || role == "msg") {
      add_user(*content);
      release_held();
    } else {
      return invalid_field("literal_error", fmt::format("messages.{}.role", index),
                           "Input should be \\'user\\', \\'assistant\\' or \\'system\\'");
    }
    return {};
  }

  void add_inline_system(std::string text) {
    if (text.empty()) return;
    if (leading_) {
      conversation_.add_system(text, kSystemSeparator);
    } else if (awaiting_results_) {
      held_.push_back({.role = Role::kSystem, .text = std::move(text), .calls = {}});
    } else {
      conversation_.turns.push_back({.role = Role::kSystem, .text = std::move(text), .calls = {}});
    }
  }

  void add_assistant(const Json& content) {
    leading_ = false;
    Turn turn{.role = Role::kAssistant, .text = {}, .calls = {}};
    bool has_text = false;
    if (content.is_string()) add_text(turn, has_text, content.get_ref<const std::string&>());
    for (const Json& block : content.is_array() ? content : Json::array()) {
      const std::string type = string_member(block, "type");
      if (type == "text") add_text(turn, has_text, string_member(block, "text"));
      if (type == "tool_use") {
        const Json* input = member(block, "input");
        turn.calls.push_back({.id = string_member(block, "id"),
                              .name = string_member(block, "name"),
                              .arguments = input == nullptr ? "{}" : canonical(*input)});
      }
    }
    awaiting_results_ = !turn.calls.empty();
    conversation_.turns.push_back(std::move(turn));
  }

  void add_user(const Json& content) {
    leading_ = false;
    awaiting_results_ = false;
    Turn turn{.role = Role::kUser, .text = {}, .calls = {}};
    bool has_text = false;
    if (content.is_string()) add_text(turn, has_text, content.get_ref<const std::string&>());
    for (const Json& block : content.is_array() ? content : Json::array()) {
      const std::string type = string_member(block, "type");
      if (type == "text") add_text(turn, has_text, string_member(block, "text"));
      if (type == "image") add_text(turn, has_text, image_text(image_url(block)));
      if (type == "tool_result") {
        conversation_.turns.push_back(
            {.role = Role::kTool, .text = result_text(block), .calls = {}});
      }
    }
    if (has_text) conversation_.turns.push_back(std::move(turn));
  }

  void release_held() {
    for (Turn& turn : held_) conversation_.turns.push_back(std::move(turn));
    held_.clear();
  }

  Conversation conversation_;
  std::vector<Turn> held_;  // system turns that came between a tool call and its result
  bool leading_ = true;
  bool awaiting_results_ = false;
};

}  // namespace

ApiResult<Conversation> read_messages_conversation(const Json& body) { return Reader().read(body); }

ApiResult<GenerateRequest> read_messages(const Json& body) {
  GenerateRequest request;
  request.api = Api::kMessages;
  request.model = string_member(body, "model");
  if (request.model.empty()) return invalid_field("missing", "model", "Field required");
  auto conversation = read_messages_conversation(body);
  if (!conversation) return tl::unexpected<ApiError>(std::move(conversation.error()));
  request.conversation = std::move(*conversation);
  const auto max_tokens = read_count(body, "max_tokens");
  if (!max_tokens) return tl::unexpected<ApiError>(max_tokens.error());
  if (!*max_tokens) return invalid_field("missing", "max_tokens", "Field required");
  request.max_tokens = *max_tokens;
  request.stream = bool_member(body, "stream");
  request.prompt = render_prompt(request.conversation);
  return request;
}

}  // namespace berth::engine_http
