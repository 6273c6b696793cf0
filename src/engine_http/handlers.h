// The endpoints. Each answers one call; `call` outlives the coroutine.
#pragma once

#include "engine_http/engine_core.h"
#include "net/types.h"

namespace berth::engine_http {

// generate.cc: POST /v1/messages, /v1/chat/completions, /v1/completions, /v1/responses.
net::Task<void> handle_messages(Call& call);
net::Task<void> handle_chat(Call& call);
net::Task<void> handle_completions(Call& call);
net::Task<void> handle_responses(Call& call);

// pooling.cc: POST /v1/embeddings, /rerank and /score with their /v1 forms.
net::Task<void> handle_embeddings(Call& call);
net::Task<void> handle_rerank(Call& call);
net::Task<void> handle_score(Call& call);

// token_apis.cc: POST /v1/messages/count_tokens, /tokenize, /detokenize.
net::Task<void> handle_count_tokens(Call& call);
net::Task<void> handle_tokenize(Call& call);
net::Task<void> handle_detokenize(Call& call);

// server_apis.cc: GET /v1/models, /health, /metrics, /version, /load; GET and POST /ping;
// POST /berth/faults (with --allow-faults).
net::Task<void> handle_models(Call& call);
net::Task<void> handle_health(Call& call);
net::Task<void> handle_metrics(Call& call);
net::Task<void> handle_version(Call& call);
net::Task<void> handle_load(Call& call);
net::Task<void> handle_faults(Call& call);

// routes.cc: finds the handler by path and method; checks the key first.
net::Task<void> handle(Call& call);

}  // namespace berth::engine_http
