// What Berth itself says in each API's own shape: errors, in-stream errors, keep-alive events.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/api.h"

namespace berth::inspect {

// JSON error body. `code` (error_code_name) is stable and stands in `error.code` in every shape;
// `type` follows the API's own names for the status. `request_id`, when there is one, is told where
// the API has a place for it.
std::string error_body(ApiShape shape, int status, std::string_view code, std::string_view message,
                       std::string_view request_id = {});
// The HTTP status for an error Berth answers with. What a repeat of the same request cannot mend is
// a 4xx, because SDKs repeat on 408, 409, 429 and every 5xx.
int http_status(ErrorCode code);

// A whole event that ends a stream already under way, in the API's shape, with its end mark where
// the API has one after an error ([DONE]). Two things are told for the clients' sake (docs/api.md
// has what was seen):
// - /v1/responses ends with `response.failed`, whose `error.code` is `invalid_prompt` instead of
// `code` for a 4xx
//   that a repeat cannot mend, because Codex repeats the turn on any code it does not know;
// - elsewhere everything a repeat may mend has the type `overloaded_error` (or `rate_limit_error`
// for 429): on
//   other types Qwen Code gives up and Claude Code repeats the turn without streaming.
std::string stream_error_event(ApiShape shape, int status, std::string_view code,
                               std::string_view message, std::string_view request_id = {});

// A whole event that every known client of that API counts as life and none shows. `began`: an
// event of the upstream's stream has already passed, which matters for /v1/responses: before it,
// the event is a `response.created`, the only one the OpenAI SDKs take first; after it, a
// `keepalive`, as OpenAI itself sends, because any event with a response object would replace what
// those SDKs have gathered so far.
std::string keep_alive_event(ApiShape shape, std::string_view model, bool began = false);

}  // namespace berth::inspect
