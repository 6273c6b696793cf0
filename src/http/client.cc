#include "http/client.h"

#include <fmt/format.h>

#include <utility>

#include "http/exchange.h"
#include "http/head.h"

namespace berth::http {

std::string_view ClientResponse::header(std::string_view name) const noexcept {
  for (const auto& [known, value] : headers) {
    if (iequals(known, name)) return value;
  }
  return {};
}

net::Task<Result<ClientResponse>> fetch(Url url, ClientRequest request,
                                        boost::asio::ssl::context* tls) {
  const auto max_body = request.max_body;
  const auto where = url.authority();
  auto begun = co_await Exchange::begin(std::move(url), std::move(request), tls);
  if (!begun) co_return tl::unexpected(begun.error());
  auto& exchange = **begun;

  ClientResponse response;
  response.status = exchange.head().status;
  for (const auto& header : exchange.head().headers)
    response.headers.emplace_back(header.name, header.value);
  std::string piece;
  for (;;) {
    auto more = co_await exchange.read(piece);
    if (!more) co_return tl::unexpected(more.error());
    if (!*more) break;
    if (piece.size() > max_body - response.body.size()) {
      co_return fail(ErrorCode::kUpstreamBadResponse,
                     fmt::format("{}: the response body exceeds {} bytes", where, max_body));
    }
    response.body += piece;
  }
  co_return response;
}

}  // namespace berth::http
