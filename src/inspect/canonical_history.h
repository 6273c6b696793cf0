// The chain of hashes over a request's message history, in a form that survives what clients do to
// it between two turns (docs/api.md has the clients' habits one by one).
//
// Left out, because clients add, move or strip it while the conversation goes on: cache_control;
// the attribution block (a system text that begins with `x-anthropic-billing-header:`); system and
// developer turns after the first other message, and every system turn of /v1/messages, whose
// system prompt is a field of its own; thinking and reasoning; ids of calls and items; members of a
// message other than its role, its content and its calls. Kept: role, text, calls by name and
// arguments, results by content, and any other part (images, documents) by its bytes. A message
// with nothing left has no entry. Where the budget is spent (reading_budget.h) the history ends.
//
// Owner: the reader of one body. Views it gives die with the JsonParse they came from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "inspect/content_hash.h"
#include "inspect/json_parse.h"
#include "inspect/reading_budget.h"

namespace berth::inspect {

// More messages than this are not chained: the first so many still identify the conversation.
inline constexpr std::size_t kMaxChain = 16384;

// What the marks of side requests are looked for in.
struct Opening {
  std::vector<std::string_view> system;  // the first system texts, the attribution aside
  std::string_view first_user;           // the first text of the first user message
  std::string_view last_user;            // the last text of the last message, when a user sent it
  std::size_t entries = 0;               // messages with an entry
  bool has_system = false;
};

class CanonicalHistory {
 public:
  // `system_in_messages`: leading system and developer messages are the system prompt (all APIs but
  // /v1/messages).
  explicit CanonicalHistory(bool system_in_messages) : system_in_messages_(system_in_messages) {}

  // Each reads one top-level member; read again (a duplicate key) it forgets what it read before.
  JsonError read_system(
      JsonValue value);  // `system`, `instructions`: a string or a list of text blocks
  JsonError read_messages(
      JsonValue value);  // `messages`, `input`: a list of messages or items, or a string
  JsonError read_prompt(JsonValue value);  // `prompt`: one entry, or none when it is a batch

  // Items in the list, whether they have an entry or not.
  std::size_t messages() const { return messages_; }
  std::vector<std::uint64_t> chain() const;
  Opening opening() const;

 private:
  JsonError read_message(JsonValue value);
  void add_entry(std::string_view role, const ContentHash& content);
  void forget_messages();

  bool system_in_messages_;
  ReadingBudget budget_;
  ContentHash system_;
  ContentHash leading_;  // leading system messages
  std::vector<std::uint64_t> entries_;
  std::size_t messages_ = 0;
  std::vector<std::string_view> leading_texts_;
  Opening opening_;
};

}  // namespace berth::inspect
