#include "cli/admin_client.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "console/json.h"
#include "http/client.h"

namespace berth::cli {
namespace {

using Fetched = std::optional<Result<http::ClientResponse>>;

net::Task<void> fetch_into(http::Url url, http::ClientRequest request, Fetched* out) {
  *out = co_await http::fetch(std::move(url), std::move(request), nullptr);
}

http::ClientRequest request_of(const AdminCall& call) {
  http::ClientRequest request;
  request.method = call.method;
  request.path = call.path;
  request.body = call.body;
  if (!call.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  if (!call.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + call.token);
  return request;
}

}  // namespace

Result<AdminReply> call_admin(const AdminCall& call) {
  // HOST:PORT is how serve's own --admin is written.
  const bool bare = call.url.find("://") == std::string::npos;
  const Result<http::Url> url = http::parse_url(bare ? "http://" + call.url : call.url);
  if (!url) {
    return fail(ErrorCode::kConfig, fmt::format("--admin {}: {}", call.url, url.error().message));
  }
  if (url->tls) {
    return fail(ErrorCode::kConfig,
                fmt::format("--admin {}: the admin API speaks plain http", call.url));
  }
  net::asio::io_context io(1);
  Fetched fetched;
  net::asio::co_spawn(io.get_executor(), fetch_into(*url, request_of(call), &fetched),
                      net::asio::detached);
  io.run();
  if (!fetched || !*fetched) {
    const std::string why = fetched ? (*fetched).error().message : "no answer";
    return fail(
        ErrorCode::kConnectFailed,
        fmt::format("cannot reach Berth's admin API at {}: {}. Is `berth serve` running, and "
                    "is this its --admin address?",
                    call.url, why));
  }
  return AdminReply{(*fetched)->status, std::move((*fetched)->body)};
}

std::string error_sentence(const AdminReply& reply) {
  const auto json = console::Json::parse(reply.body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_object()) {
    const auto message = json["error"].find("message");
    if (message != json["error"].end() && message->is_string()) return message->get<std::string>();
  }
  return fmt::format("the admin API answered with status {}", reply.status);
}

}  // namespace berth::cli
