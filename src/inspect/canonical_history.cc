#include "inspect/canonical_history.h"

#include "inspect/message_node.h"

namespace berth::inspect {
namespace {

bool is_system_role(std::string_view role) { return role == "system" || role == "developer"; }

// Items of the Responses API have a type and no role; those the assistant made belong to it.
std::string_view role_of(const MessageNode& node) {
  return node.role.empty() ? node.type : node.role;
}

}  // namespace

JsonError CanonicalHistory::read_system(JsonValue value) {
  system_ = ContentHash();
  return budget_.take() ? add_content(value, 1, budget_, system_) : simdjson::SUCCESS;
}

JsonError CanonicalHistory::read_messages(JsonValue value) {
  forget_messages();
  if (!budget_.take()) return simdjson::SUCCESS;
  if (first_char(value) == '"') {
    ContentHash content;
    content.text(budget_.text_of(value));
    messages_ = 1;
    add_entry("user", content);
    return simdjson::SUCCESS;
  }
  return for_each_element(value, [this](JsonValue element) { return read_message(element); });
}

JsonError CanonicalHistory::read_message(JsonValue value) {
  ++messages_;
  if (!budget_.take(ReadingBudget::kNodeParts)) return simdjson::SUCCESS;
  MessageNode node;
  if (JsonError error = gather(value, 0, budget_, node)) return error;
  if (budget_.spent()) return simdjson::SUCCESS;
  if (is_system_role(node.role)) {
    if (!system_in_messages_ || !entries_.empty()) return simdjson::SUCCESS;
    const auto texts = node.content.first_texts();
    if (leading_texts_.empty()) leading_texts_.assign(texts.begin(), texts.end());
    leading_.number(node.content.digest());
    return simdjson::SUCCESS;
  }
  ContentHash content = node.content;
  if (node.role.empty()) {
    content = ContentHash();
    add_block(node, content);
  } else if (!node.calls.empty()) {
    content.number(node.calls.digest());
  }
  add_entry(role_of(node), content);
  return simdjson::SUCCESS;
}

JsonError CanonicalHistory::read_prompt(JsonValue value) {
  forget_messages();
  if (!budget_.take()) return simdjson::SUCCESS;
  ContentHash content;
  std::size_t prompts = 0;
  if (first_char(value) == '"') {
    content.text(budget_.text_of(value));
    prompts = 1;
  }
  bool tokens = false;
  const JsonError error = for_each_element(value, [&](JsonValue element) -> JsonError {
    if (!budget_.take()) return simdjson::SUCCESS;
    switch (first_char(element)) {
      case '"':
        content.text(budget_.text_of(element));
        ++prompts;
        return simdjson::SUCCESS;
      case '[':
        prompts += 2;  // prompts as lists of token ids: a batch
        return simdjson::SUCCESS;
      default:
        content.bytes(scalar_token(element));
        tokens = true;
        return simdjson::SUCCESS;
    }
  });
  if (error) return error;
  messages_ = prompts + (tokens ? 1 : 0);
  if (messages_ == 1 && !budget_.spent()) add_entry("user", content);
  return simdjson::SUCCESS;
}

void CanonicalHistory::add_entry(std::string_view role, const ContentHash& content) {
  opening_.last_user = {};
  if (content.empty()) return;
  ++opening_.entries;
  if (role == "user") {
    if (opening_.first_user.empty()) {
      opening_.first_user = content.first_texts().empty() ? "" : content.first_texts().front();
    }
    opening_.last_user = content.last_text();
  }
  if (entries_.size() == kMaxChain) return;
  ContentHash entry;
  entry.bytes(role);
  entry.number(content.digest());
  entries_.push_back(entry.digest());
}

void CanonicalHistory::forget_messages() {
  leading_ = ContentHash();
  leading_texts_.clear();
  entries_.clear();
  messages_ = 0;
  opening_ = Opening();
}

Opening CanonicalHistory::opening() const {
  Opening opening = opening_;
  const auto texts = system_.first_texts();
  opening.system.assign(texts.begin(), texts.end());
  opening.system.insert(opening.system.end(), leading_texts_.begin(), leading_texts_.end());
  opening.has_system = !system_.empty() || !leading_.empty();
  return opening;
}

std::vector<std::uint64_t> CanonicalHistory::chain() const {
  std::vector<std::uint64_t> chain;
  chain.reserve(entries_.size());
  std::uint64_t link = chain_link(system_.digest(), leading_.digest());
  for (const std::uint64_t entry : entries_) {
    link = chain_link(link, entry);
    chain.push_back(link);
  }
  return chain;
}

}  // namespace berth::inspect
