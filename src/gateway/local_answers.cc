#include "gateway/local_answers.h"

#include <fmt/format.h>

#include "gateway/refusals.h"
#include "inspect/models_body.h"
#include "inspect/replies.h"

namespace berth::gateway {

namespace {

LocalAnswer error_answer(const http::RequestHead& head, ErrorCode code,
                         const std::string& message) {
  LocalAnswer answer;
  answer.status = inspect::http_status(code);
  answer.error = code;
  answer.body = inspect::error_body(shape_of_unknown_path(head.path()), answer.status,
                                    error_code_name(code), message);
  return answer;
}

LocalAnswer models_answer(const http::RequestHead& head, const ClientAuth& auth,
                          const ModelTable& models, WallTime started) {
  if (const Result<std::string> tenant = auth.tenant_of(head.headers); !tenant) {
    return error_answer(head, ErrorCode::kUnauthorized, tenant.error().message);
  }
  std::vector<inspect::ServedModel> listed;
  for (const ModelTable::Name& name : models.names()) {
    inspect::ServedModel model;
    model.id = name.id;
    model.aliases = name.aliases;
    model.created =
        std::chrono::duration_cast<std::chrono::seconds>(started.time_since_epoch()).count();
    if (name.max_model_len > 0) model.max_model_len = name.max_model_len;
    listed.push_back(std::move(model));
  }
  LocalAnswer answer;
  answer.status = 200;
  answer.body = inspect::models_body(listed);
  return answer;
}

// Claude Code warms its connection with these before the first turn.
bool is_probe(const http::RequestHead& head) {
  return head.method == "HEAD" && (head.path() == "/" || head.path() == "/api/hello");
}

}  // namespace

LocalAnswer local_answer(const http::RequestHead& head, const ClientAuth& auth,
                         const ModelTable& models, WallTime started) {
  const bool get = head.method == "GET" || head.method == "HEAD";
  if (is_probe(head)) {
    LocalAnswer answer;
    answer.status = 200;
    return answer;
  }
  if (get && head.path() == "/v1/models") return models_answer(head, auth, models, started);
  if (inspect::find_endpoint(head.path()) != nullptr || head.path() == "/v1/models") {
    LocalAnswer answer =
        error_answer(head, ErrorCode::kMethodNotAllowed,
                     fmt::format("{} is not allowed on this endpoint", head.method.substr(0, 32)));
    answer.headers.emplace_back("allow", head.path() == "/v1/models" ? "GET, HEAD" : "POST");
    return answer;
  }
  return error_answer(head, ErrorCode::kNotFound, "this gateway does not serve that endpoint");
}

}  // namespace berth::gateway
