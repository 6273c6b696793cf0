// `berth explain`: the admin API's explanation of a session as sentences.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "console/json.h"

namespace berth::cli {

// One block a conversation: its home and why, what is known of it, its last decisions and the
// numbers each saw.
std::string explain_text(const console::Json& explanation, const Terminal& terminal);

}  // namespace berth::cli
