// What of a text counts in the chain: not what the client itself adds to it and takes away again.
#pragma once

#include <string_view>

namespace berth::inspect {

// The text without
// - the attribution of Claude Code, a line or a block of its own that begins with
//   `x-anthropic-billing-header:` and differs between conversations (anthropics/claude-code issue
//   68900);
// - reminders at its beginning, `<system-reminder>...</system-reminder>`: Qwen Code (npm
//   @qwen-code/qwen-code 0.24.4) puts the date and the folder's listing there, and writes them anew
//   when a session is resumed; Claude Code tells files and skills there.
// `own_block`: the text is one block of a list, so an attribution is all there is to it.
std::string_view canonical_text(std::string_view text, bool own_block);

}  // namespace berth::inspect
