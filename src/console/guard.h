// Who may talk to the admin API. It trusts the machine it listens on, so the danger is a web page
// in the operator's browser: a name rebound to 127.0.0.1 (stopped by the Host check) or a form
// posted across origins (stopped by the Origin check). What changes something also needs the admin
// token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/head.h"

namespace berth::console {

struct HostPolicy {
  std::string bound;               // the address listened on: "127.0.0.1", "0.0.0.0", "::1"
  std::vector<std::string> extra;  // further names operators use, without port
};

// True for localhost and the loopback addresses, the bound address, and the extra names; on a
// wildcard address (0.0.0.0, ::) also for every IP literal, since only names can be rebound. The
// port does not matter: a tunnel may change it. An empty, repeated or malformed Host is refused.
bool host_allowed(const http::Headers& headers, const HostPolicy& policy);

// Of a request that is not GET or HEAD: no Origin, or the origin that Host names; and no
// Sec-Fetch-Site that says cross-site.
bool origin_allowed(const http::Headers& headers);

enum class TokenCheck : unsigned char {
  kOk,
  kNotConfigured,  // no write is possible
  kMissing,        // no Authorization: Bearer
  kWrong,
};
// `token` is the configured one, empty for none. The time taken does not depend on how much of it
// was guessed.
TokenCheck check_token(const http::Headers& headers, std::string_view token);

}  // namespace berth::console
