#include "inspect/message_node.h"

#include <algorithm>
#include <array>

#include "inspect/canonical_text.h"

namespace berth::inspect {
namespace {

// Results hold blocks, and a document among them may hold blocks again. Deeper ones, and calls
// within calls, count by their bytes: bodies nest as deep as whoever sends them likes.
constexpr int kMaxDepth = 4;

enum Kind : char { kCall = 'c', kResult = 'r', kOther = 'o' };

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& set) {
  return std::find(set.begin(), set.end(), text) != set.end();
}

constexpr std::array<std::string_view, 5> kTextTypes{"text", "input_text", "output_text", "refusal",
                                                     "summary_text"};
constexpr std::array<std::string_view, 5> kThoughtTypes{
    "thinking", "redacted_thinking", "reasoning", "reasoning_text", "reasoning_content"};
constexpr std::array<std::string_view, 6> kCallTypes{
    "tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call", "function"};
constexpr std::array<std::string_view, 4> kResultTypes{
    "tool_result", "mcp_tool_result", "function_call_output", "custom_tool_call_output"};

// Members that do not change what the model reads, or that clients add and strip between turns.
constexpr std::array<std::string_view, 15> kNoise{
    "cache_control", "id",          "call_id",  "tool_use_id",      "tool_call_id",
    "status",        "annotations", "logprobs", "citations",        "signature",
    "index",         "is_error",    "caller",   "provider_options", "encrypted_content"};

JsonError add_raw(std::string_view key, JsonValue value, ContentHash& hash) {
  std::string_view raw;
  if (JsonError error = raw_value(value, raw)) return error;
  hash.bytes(key);
  hash.json(raw);
  return simdjson::SUCCESS;
}

// A string by its text (a call's arguments), anything else by its JSON (a call's input).
JsonError add_arguments(JsonValue value, ReadingBudget& budget, ContentHash& hash) {
  if (first_char(value) == '"') {
    hash.bytes(budget.text_of(value));
    return simdjson::SUCCESS;
  }
  return add_raw({}, value, hash);
}

JsonError add_call(JsonValue value, int depth, ReadingBudget& budget, ContentHash& calls) {
  if (!budget.take(ReadingBudget::kNodeParts)) return simdjson::SUCCESS;
  if (depth > kMaxDepth) return add_raw({}, value, calls);
  MessageNode call;
  if (JsonError error = gather(value, depth, budget, call)) return error;
  call.type = "function";
  add_block(call, calls);
  return simdjson::SUCCESS;
}

// One element of `tool_calls`: the call itself sits in its member `function` or `custom`.
JsonError add_tool_call(JsonValue value, int depth, ReadingBudget& budget, ContentHash& calls) {
  return for_each_member(value, [&](std::string_view key, JsonValue member) -> JsonError {
    if (!budget.take()) return simdjson::SUCCESS;
    if (key != "function" && key != "custom") return simdjson::SUCCESS;
    return add_call(member, depth, budget, calls);
  });
}

}  // namespace

JsonError gather(JsonValue value, int depth, ReadingBudget& budget, MessageNode& node) {
  return for_each_member(value, [&](std::string_view key, JsonValue member) -> JsonError {
    if (!budget.take()) return simdjson::SUCCESS;
    if (key == "type") {
      node.type = text_of(member);
    } else if (key == "role") {
      node.role = text_of(member);
    } else if (key == "name") {
      node.name = text_of(member);
    } else if (key == "text" || key == "refusal") {
      if (first_char(member) == '"') node.text = budget.text_of(member);
    } else if (key == "content" || key == "output") {
      node.content = ContentHash();
      return add_content(member, depth + 1, budget, node.content);
    } else if (key == "arguments" || key == "input") {
      node.arguments = ContentHash();
      return add_arguments(member, budget, node.arguments);
    } else if (key == "tool_calls") {
      node.calls = ContentHash();
      return for_each_element(member, [&](JsonValue call) {
        return add_tool_call(call, depth + 1, budget, node.calls);
      });
    } else if (key == "function_call") {
      if (first_char(member) == '{') return add_call(member, depth + 1, budget, node.calls);
    } else if (!is_one_of(key, kNoise)) {
      return add_raw(key, member, node.other);
    }
    return simdjson::SUCCESS;
  });
}

void add_block(const MessageNode& block, ContentHash& message) {
  if (is_one_of(block.type, kThoughtTypes)) return;
  if (is_one_of(block.type, kTextTypes)) {
    message.text(canonical_text(block.text, true));
  } else if (is_one_of(block.type, kCallTypes)) {
    message.mark(kCall);
    message.bytes(block.name);
    message.number(block.arguments.digest());
  } else if (is_one_of(block.type, kResultTypes)) {
    message.mark(kResult);
    message.number(block.content.digest());
  } else {
    message.mark(kOther);
    message.bytes(block.type);
    message.bytes(block.name);
    message.bytes(block.text);
    for (const ContentHash* part : {&block.content, &block.arguments, &block.other}) {
      message.number(part->digest());
    }
  }
}

JsonError add_content(JsonValue value, int depth, ReadingBudget& budget, ContentHash& message) {
  const char first = first_char(value);
  if (first == '"') {
    message.text(canonical_text(budget.text_of(value), false));
    return simdjson::SUCCESS;
  }
  if (first == '{' || (first == '[' && depth > kMaxDepth)) {
    message.mark(kOther);
    return add_raw({}, value, message);
  }
  return for_each_element(value, [&](JsonValue element) -> JsonError {
    if (!budget.take(ReadingBudget::kNodeParts)) return simdjson::SUCCESS;
    if (first_char(element) == '"') {
      message.text(canonical_text(budget.text_of(element), true));
      return simdjson::SUCCESS;
    }
    MessageNode block;
    if (JsonError error = gather(element, depth, budget, block)) return error;
    add_block(block, message);
    return simdjson::SUCCESS;
  });
}

}  // namespace berth::inspect
