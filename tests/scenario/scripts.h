// Ready-made scripts: what a healthy server answers in each API's shape.
#pragma once

#include <string>

#include "scenario/scripted_server.h"

namespace berth::scenario {

// A short streamed answer on /v1/messages, a JSON one when the request does not stream.
void answer_messages(const Message& request, Wire& wire);
// The same for /v1/chat/completions, with a usage chunk when the request asks for one.
void answer_chat(const Message& request, Wire& wire);

// The events answer_messages sends, as one text.
std::string messages_events();

}  // namespace berth::scenario
