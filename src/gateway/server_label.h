// What a server is called in labels, headers, logs and the state file.
#pragma once

#include <string>

#include "http/client.h"

namespace berth::gateway {

// A longer one is cut: it stands in every response's head and in every metric of its replicas.
inline constexpr std::size_t kMaxServerLabel = 120;

// "gpu0:8000", or "gpu0:8000/team-a" for a URL with a path. A function of the URL alone, so that it
// is the same whichever other servers there are, over reloads and restarts. URLs that differ in
// more than the scheme have different labels; one past kMaxServerLabel ends in a hash of the whole.
std::string server_label(const http::Url& url);

// The same with its scheme, for a server whose short label another one bears: one port that is
// named with http and with https.
std::string server_label_with_scheme(const http::Url& url);

}  // namespace berth::gateway
