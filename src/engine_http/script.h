// Scripted replies: how a test or a demo makes a real agent take several turns.
//
// A line of user text `berth-script: [STEP, ...]` asks for these answers, one a turn. A step is
//   {"text": "..."}                          an answer in words
//   {"tool": "Bash", "args": {...}}          one tool call
//   {"tools": [{"tool": .., "args": ..}]}    several at once
// and "text" beside calls comes before them. The step is chosen by the number of assistant turns
// after the message that holds the script, so nothing is kept between requests; the last step
// repeats. The last user message with a script wins. Tool results are never searched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine_http/conversation.h"

namespace berth::engine_http {

// The answer the conversation's script asks for, without call ids; nothing where there is no
// script. A script that is not what it should be, or asks for a tool that the request does not
// offer, is answered with a text that says so.
std::optional<Turn> scripted_answer(const Conversation& conversation);

}  // namespace berth::engine_http
