// The answer to one request, made whole before the engine starts and then given out token by token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine_http/generate_request.h"

namespace berth::engine_http {

enum class Finish : std::uint8_t { kStop, kLength, kToolCalls };

// What one output token adds to what the client sees. A token whose bytes end inside a character
// adds its whole characters; the rest comes with the next token.
struct Piece {
  enum class Kind : std::uint8_t { kNothing, kText, kCallStart, kCallArguments };
  Kind kind = Kind::kNothing;
  std::uint32_t call = 0;  // index of the call, for the last two
  std::string text;
};

struct Reply {
  Turn answer;                // what came out whole: a call that was cut off is not in it
  std::vector<Token> tokens;  // what is generated, the end mark included
  std::vector<Piece> pieces;  // one for every token
  Finish finish = Finish::kStop;
  // Of calls, also of one that is cut off.
  std::vector<ToolCall> calls;
};

// The scripted answer, else a text of 32 to 256 tokens chosen by `seed` and the prompt. At most
// `max_tokens` (at least 1), exactly so many where the request ignores the end.
Reply make_reply(const GenerateRequest& request, std::uint64_t seed, std::uint64_t max_tokens);

}  // namespace berth::engine_http
