#include "console/admin_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "console/bodies.h"
#include "console/etag.h"
#include "console/explain_json.h"
#include "console/model_json.h"
#include "console/readiness.h"
#include "console/snapshot_json.h"

namespace berth::console {
namespace {

Answer error_answer(const Error& error) {
  int status = 500;
  switch (error.code) {
    case ErrorCode::kBadRequest:
    case ErrorCode::kBadJson:
    case ErrorCode::kConfig:
      status = 400;
      break;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnknownModel:
      status = 404;
      break;
    default:
      break;
  }
  return console::error_answer(status, error_code_name(error.code), error.message);
}

// Nothing when the token is right.
std::optional<Answer> refused_write(const http::RequestHead& head, std::string_view token) {
  switch (check_token(head.headers, token)) {
    case TokenCheck::kOk:
      return std::nullopt;
    case TokenCheck::kNotConfigured:
      return console::error_answer(
          403, "writes_disabled",
          "Changes are refused because no admin token is configured. Put a secret of at least 16 "
          "characters into a file with mode 0600 and start Berth with --admin-token-file FILE.");
    case TokenCheck::kMissing:
    case TokenCheck::kWrong:
      break;
  }
  Answer answer = console::error_answer(
      401, "unauthorized",
      "This change needs the header `Authorization: Bearer TOKEN` with the token of the file given "
      "as --admin-token-file.");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

const observe::ModelStatus* find_model(const observe::FleetStatus& fleet, const std::string& name) {
  for (const observe::ModelStatus& model : fleet.models) {
    const auto& aliases = model.aliases;
    if (model.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

}  // namespace

AdminApi::AdminApi(observe::StatusSource& source, const Clock& clock, HostPolicy hosts,
                   std::string token)
    : source_(source), clock_(clock), hosts_(std::move(hosts)), token_(std::move(token)) {}

Answer AdminApi::handle(const http::RequestHead& head, std::string_view body) const {
  Answer answer = checked(head, body);
  add_security_headers(answer);
  return answer;
}

Answer AdminApi::checked(const http::RequestHead& head, std::string_view body) const {
  if (!host_allowed(head.headers, hosts_)) {
    return console::error_answer(
        421, "wrong_host",
        "The Host header does not name this admin address. It must be localhost, a loopback "
        "address, the address listened on, or a name configured for the admin listener; this keeps "
        "web pages whose name was rebound to this machine out.");
  }
  const Result<Route> route = find_route(head.path());
  if (!route) return error_answer(route.error());
  if (!method_allowed(route->endpoint, head.method)) {
    const std::string allowed(allowed_methods(route->endpoint));
    Answer answer = console::error_answer(405, "method_not_allowed",
                                          fmt::format("This path answers {} only.", allowed));
    answer.headers.emplace_back("Allow", allowed);
    return answer;
  }
  const bool reads = head.method == "GET" || head.method == "HEAD";
  if (!reads && !origin_allowed(head.headers)) {
    return console::error_answer(403, "cross_origin",
                                 "The request comes from a page of another origin.");
  }
  return dispatch(*route, head, body);
}

Answer AdminApi::dispatch(const Route& route, const http::RequestHead& head,
                          std::string_view body) const {
  switch (route.endpoint) {
    case Endpoint::kMetrics:
      return metrics();
    case Endpoint::kHealthz:
      return json_answer(200, Json{{"status", "ok"}});
    case Endpoint::kReadyz:
      return readiness();
    case Endpoint::kSnapshot:
      return snapshot(head);
    case Endpoint::kExplain:
      return explain(body);
    case Endpoint::kRouting:
      return change_routing(route, head, body);
    case Endpoint::kDrain:
      return set_drain(route, head, body);
  }
  return console::error_answer(500, "internal", "An endpoint without a handler.");
}

Answer AdminApi::metrics() const {
  Answer answer;
  answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
  answer.body = source_.metrics_text();
  return answer;
}

Answer AdminApi::readiness() const {
  Json json;
  const bool ready = source_.ready();
  json["ready"] = ready;
  json["reasons"] = ready ? Json::array() : Json(not_ready_reasons(source_.status()));
  return json_answer(ready ? 200 : 503, json);
}

Answer AdminApi::snapshot(const http::RequestHead& head) const {
  const observe::FleetStatus status = source_.status();
  const Json json = snapshot_json(status, clock_.now());
  const std::string etag = weak_etag(json);
  Answer answer;
  if (etag_matches(head.headers.get("if-none-match"), etag)) {
    answer.status = 304;
  } else {
    answer = json_answer(200, json);
  }
  answer.headers.emplace_back("ETag", etag);
  return answer;
}

Answer AdminApi::explain(std::string_view body) const {
  const Result<std::string> session = parse_explain(body);
  if (!session) return error_answer(session.error());
  const auto found = source_.explain(*session);
  if (found.empty()) {
    return console::error_answer(404, "unknown_session",
                                 "No conversation of this session is bound to a replica: it never "
                                 "came through here, none of its requests succeeded, or it was "
                                 "idle for so long that it was forgotten.");
  }
  return json_answer(200, explain_json(found, source_.status(), source_, clock_.now()));
}

Answer AdminApi::change_routing(const Route& route, const http::RequestHead& head,
                                std::string_view body) const {
  if (auto refused = refused_write(head, token_)) return *refused;
  const Result<observe::RoutingChange> change = parse_routing_change(body);
  if (!change) return error_answer(change.error());
  const Result<void> done = source_.change_routing(route.model, *change);
  if (!done) return error_answer(done.error());
  Json json;
  json["model"] = route.model;
  const observe::FleetStatus status = source_.status();
  if (const observe::ModelStatus* model = find_model(status, route.model)) {
    json["model"] = model->name;
    json["affinity"] = model->settings.affinity;
    json["policy"] = routing::policy_name(model->settings.policy);
    json["overflow_threshold"] = threshold_json(model->threshold);
  }
  return json_answer(200, json);
}

Answer AdminApi::set_drain(const Route& route, const http::RequestHead& head,
                           std::string_view body) const {
  if (auto refused = refused_write(head, token_)) return *refused;
  const Result<bool> drain = parse_drain(body);
  if (!drain) return error_answer(drain.error());
  const Result<void> done = source_.set_drain(route.model, route.replica, *drain);
  if (!done) return error_answer(done.error());
  Json json;
  json["model"] = route.model;
  json["replica"] = route.replica;
  json["drain"] = *drain;
  return json_answer(200, json);
}

}  // namespace berth::console
