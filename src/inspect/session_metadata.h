// The session id in Claude Code's metadata.user_id, which has had two forms:
//   user_<64 hex>_account_<uuid or empty>_session_<uuid>       (before 2.1.78)
//   {"device_id":"...","account_uuid":"...","session_id":"<uuid>"}, as a string
// (anthropics/claude-code; coder/aibridge pull request 241 reads both.)
#pragma once

#include <string>
#include <string_view>

namespace berth::inspect {

// Empty when the text has neither form. Parses JSON: no JsonParse may be alive on this thread.
std::string session_of_user_id(std::string_view user_id);

}  // namespace berth::inspect
