// The three requests Berth asks a server on its own account, and what to tell the operator when one
// goes wrong.
//
// A sentence names the URL and what to do about it, and never holds the key.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "fleet/fleet.h"
#include "fleet/health.h"
#include "http/client.h"
#include "net/types.h"

namespace berth::fleet {

// "http://gpu0:8000", with the URL's prefix.
std::string url_text(const http::Url& url);

// GET of `path` with the server's key, if it has one. vLLM asks for the key on /v1 paths only and
// does not mind it elsewhere; something in front of it may want it everywhere.
http::ClientRequest server_request(const ServerSettings& settings, std::string_view path,
                                   Duration timeout);

// What an answer with a status other than 2xx means: "http://gpu0:8000/v1/models answered 401: set
// the server's api_key".
std::string explain_status(const ServerSettings& settings, std::string_view path, int status);
// The same for a request that got no answer.
std::string explain_error(const ServerSettings& settings, std::string_view path,
                          const Error& error);

// What an answer to GET /health says.
struct CheckVerdict {
  CheckResult result = CheckResult::kOk;
  std::string what;
};
CheckVerdict judge_health(const ServerSettings& settings,
                          const Result<http::ClientResponse>& answer);

// Runs a request; the settings must outlive it.
net::Task<Result<http::ClientResponse>> ask_server(const ServerSettings& settings,
                                                   std::string_view path, Duration timeout);

}  // namespace berth::fleet
