// One-shot HTTP/1.1 requests off the data path: health checks, scrapes, discovery, and the CLI's calls to the
// admin API. A new connection each time; the body is bounded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/types.h"

namespace boost::asio::ssl { class context; }

namespace berth::http {

// Where a server is. Parsed from "http://host:port[/prefix]" or "https://...".
struct Url {
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string prefix;  // path before the API's own, without trailing slash; usually empty
  std::string authority() const;  // "host:port", with brackets for IPv6
};
Result<Url> parse_url(std::string_view text);

struct ClientRequest {
  std::string method = "GET";
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration timeout{std::chrono::seconds(5)};   // for the whole exchange
  std::size_t max_body = 16 * 1024 * 1024;
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// `tls` may be null for http URLs. Runs on the awaiting coroutine's executor.
net::Task<Result<ClientResponse>> fetch(Url url, ClientRequest request, boost::asio::ssl::context* tls);

}  // namespace berth::http
