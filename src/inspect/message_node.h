// One message, item or content block of any of the APIs, reduced to what the chain keeps of it.
//
// JSON members come in any order, so everything is gathered first and judged at the end, when the
// type is known. Views die with the JsonParse.
#pragma once

#include <string_view>

#include "inspect/content_hash.h"
#include "inspect/json_parse.h"
#include "inspect/reading_budget.h"

namespace berth::inspect {

struct MessageNode {
  std::string_view type;
  std::string_view role;
  std::string_view name;
  std::string_view text;
  ContentHash content;    // `content`, or `output` of a call's result
  ContentHash calls;      // `tool_calls`, `function_call`
  ContentHash arguments;  // `arguments` or `input` of a call
  ContentHash other;      // any other member that is not noise
};

// Gathers the members of a message, item or block. `depth` counts blocks and calls within others,
// which are read to a fixed depth and count by their bytes beyond it. When `budget` is spent, what
// was gathered is incomplete.
JsonError gather(JsonValue value, int depth, ReadingBudget& budget, MessageNode& node);

// Adds what a content block or a call says to its message.
void add_block(const MessageNode& block, ContentHash& message);

// Adds a content value: a string, or a list of blocks.
JsonError add_content(JsonValue value, int depth, ReadingBudget& budget, ContentHash& message);

}  // namespace berth::inspect
