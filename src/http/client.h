// One-shot HTTP/1.1 requests off the data path: health checks, scrapes, discovery, and the CLI's
// calls to the admin API. A new connection each time; the body is bounded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/types.h"

namespace boost::asio::ssl {
class context;
}

namespace berth::http {

// Where a server is. Parsed from "http://host:port[/prefix]" or "https://...".
struct Url {
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string prefix;  // path before the API's own, without trailing slash; usually empty
  std::string authority() const;  // "host:port", with brackets for IPv6
};
// Default ports are 80 and 443. User info, query and fragment are refused (kConfig, with the
// reason).
Result<Url> parse_url(std::string_view text);

struct ClientRequest {
  std::string method = "GET";
  std::string path = {};  // with its query; put after the URL's prefix
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  Duration timeout{std::chrono::seconds(5)};  // for the whole exchange
  std::size_t max_body = std::size_t{16} * 1024 * 1024;
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Value of the first header of that name, whatever the case; empty when there is none.
  std::string_view header(std::string_view name) const noexcept;
};

// `tls` may be null for http URLs. Runs on the awaiting coroutine's executor. Any status is a
// success. Errors name host:port: kConnectFailed, kConnectTimeout, kOverloaded, kTlsFailed,
// kUpstreamTimeout (request.timeout passed), kUpstreamReset (closed before the response was whole),
// kUpstreamBadResponse (cannot be framed, or the body exceeds max_body), kConfig (a method, path or
// header that cannot be sent, or https without `tls`).
net::Task<Result<ClientResponse>> fetch(Url url, ClientRequest request,
                                        boost::asio::ssl::context* tls);

}  // namespace berth::http
