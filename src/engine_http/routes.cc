// Paths, methods and the key.
#include <algorithm>
#include <array>
#include <utility>

#include "base/keyed_hash.h"
#include "engine_http/answer.h"
#include "engine_http/handlers.h"
#include "engine_http/watched_responder.h"

namespace berth::engine_http {
namespace {

struct Route {
  std::string_view path;
  std::string_view method;
  net::Task<void> (*handler)(Call&);
};

constexpr std::array<Route, 23> kRoutes = {{
    {"/v1/messages", "POST", handle_messages},
    {"/v1/messages/count_tokens", "POST", handle_count_tokens},
    {"/v1/chat/completions", "POST", handle_chat},
    {"/v1/completions", "POST", handle_completions},
    {"/v1/responses", "POST", handle_responses},
    {"/v1/embeddings", "POST", handle_embeddings},
    {"/v1/rerank", "POST", handle_rerank},
    {"/v2/rerank", "POST", handle_rerank},
    {"/rerank", "POST", handle_rerank},
    {"/v1/score", "POST", handle_score},
    {"/score", "POST", handle_score},
    {"/tokenize", "POST", handle_tokenize},
    {"/detokenize", "POST", handle_detokenize},
    {"/v1/models", "GET", handle_models},
    {"/health", "GET", handle_health},
    {"/metrics", "GET", handle_metrics},
    {"/metrics/", "GET", handle_metrics},
    {"/version", "GET", handle_version},
    {"/load", "GET", handle_load},
    {"/ping", "GET", handle_health},
    {"/ping", "POST", handle_health},
    {"/berth/faults", "POST", handle_faults},
    {"/invocations", "POST", handle_chat},
}};

// vLLM's --api-key guards these paths only, and takes a bearer token only (openai/server_utils.py).
bool guarded(std::string_view path) {
  return path.starts_with("/v1") || path.starts_with("/v2") || path.starts_with("/inference");
}

bool has_key(const Call& call) {
  const std::string& key = call.core->options.api_key;
  if (key.empty()) return true;
  std::string_view given = call.request->head->headers.get("authorization");
  const std::size_t space = given.find(' ');
  if (space == std::string_view::npos || !http::iequals(given.substr(0, space), "bearer")) {
    return false;
  }
  return equal_in_constant_time(given.substr(space + 1), key);
}

// The routes of FastAPI itself answer so.
net::Task<void> answer_detail(Call& call, int status, std::string_view detail) {
  OrderedJson body;
  body["detail"] = detail;
  co_await answer_json(call, status, dump(body));
}

}  // namespace

net::Task<void> handle(Call& call) {
  const std::string_view path = call.request->head->path();
  if (guarded(path) && !has_key(call)) {
    co_await answer_json(call, 401, R"({"error":"Unauthorized"})");
    co_return;
  }
  const bool hidden = path == "/berth/faults" && !call.core->options.allow_faults;
  bool path_known = false;
  for (const Route& route : kRoutes) {
    if (hidden || route.path != path) continue;
    path_known = true;
    if (route.method != call.request->head->method) continue;
    co_await route.handler(call);
    co_return;
  }
  if (path_known) {
    co_await answer_detail(call, 405, "Method Not Allowed");
  } else {
    co_await answer_detail(call, 404, "Not Found");
  }
}

}  // namespace berth::engine_http
