// The tokeniser: one token for every four bytes of UTF-8 text (four characters of plain English),
// and one for every mark of the chat template.
//
// Every piece of a conversation is tokenised on its own, so a reply has the same tokens when it is
// generated and when it comes back as history. A token holds its bytes, so text comes back exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/block_hash.h"

namespace berth::engine_http {

using engine::Token;

inline constexpr std::size_t kBytesPerToken = 4;

// What the chat template puts between the pieces.
enum class Mark : std::uint8_t {
  kSystem,
  kUser,
  kAssistant,
  kToolResult,
  kToolDefinition,
  kCallName,       // before the name of a tool the assistant calls
  kCallArguments,  // before its arguments
  kEnd,            // of a turn
};

Token mark_token(Mark mark);
void append_text(std::vector<Token>& tokens, std::string_view text);
std::size_t count_text(std::string_view text);
// The bytes of a token; empty for a mark. Four bytes may begin or end inside a character.
std::string token_bytes(Token token);
std::string detokenise(std::span<const Token> tokens);

// Length of the longest prefix of `bytes` that does not end inside a UTF-8 character.
std::size_t whole_characters(std::string_view bytes);

}  // namespace berth::engine_http
