#include "fleet/server_requests.h"

#include <fmt/format.h>

#include <utility>

namespace berth::fleet {
namespace {

std::string_view advice(const ServerSettings& settings, int status) {
  switch (status) {
    case 401:
    case 403:
      return settings.api_key.empty()
                 ? "set the server's api_key"
                 : "the server does not accept the api_key it is configured with";
    case 404:
      return "is this the root of a vLLM server, its URL without /v1?";
    case 503:
      return "its engine is dead or still starting";
    default:
      return status >= 300 && status < 400 ? "a redirect; configure the URL it leads to" : "";
  }
}

}  // namespace

std::string url_text(const http::Url& url) {
  return fmt::format("{}://{}{}", url.tls ? "https" : "http", url.authority(), url.prefix);
}

http::ClientRequest server_request(const ServerSettings& settings, std::string_view path,
                                   Duration timeout) {
  http::ClientRequest request;
  request.path = path;
  request.timeout = timeout;
  request.headers = {{"User-Agent", "berth"}, {"Accept", "*/*"}};
  if (!settings.api_key.empty())
    request.headers.emplace_back("Authorization", "Bearer " + settings.api_key);
  return request;
}

std::string explain_status(const ServerSettings& settings, std::string_view path, int status) {
  std::string text = fmt::format("{}{} answered {}", url_text(settings.url), path, status);
  const auto what_to_do = advice(settings, status);
  if (!what_to_do.empty()) text += fmt::format(": {}", what_to_do);
  return text;
}

std::string explain_error(const ServerSettings& settings, std::string_view path,
                          const Error& error) {
  std::string text = fmt::format("{}{}: {}", url_text(settings.url), path, error.message);
  if (error.code == ErrorCode::kUpstreamBadResponse && !settings.url.tls) {
    text += " (does it speak https?)";
  }
  return text;
}

CheckVerdict judge_health(const ServerSettings& settings,
                          const Result<http::ClientResponse>& answer) {
  constexpr std::string_view kPath = "/health";
  if (answer) {
    const int status = answer->status;
    // 4xx: there is a server, it only has no such page.
    if ((status >= 200 && status < 300) || (status >= 400 && status < 500)) return {};
    const auto result = status == 503 ? CheckResult::kUnavailable : CheckResult::kFailed;
    return {result, explain_status(settings, kPath, status)};
  }
  CheckVerdict verdict{CheckResult::kFailed, explain_error(settings, kPath, answer.error())};
  switch (answer.error().code) {
    case ErrorCode::kConnectFailed:
      verdict.result = CheckResult::kRefused;
      break;
    case ErrorCode::kConnectTimeout:
    case ErrorCode::kUpstreamTimeout:
      verdict.result = CheckResult::kUnanswered;
      break;
    default:
      if (answer.error().source() == ErrorSource::kSelf) verdict.result = CheckResult::kOurs;
      break;
  }
  return verdict;
}

net::Task<Result<http::ClientResponse>> ask_server(const ServerSettings& settings,
                                                   std::string_view path, Duration timeout) {
  auto request = server_request(settings, path, timeout);
  auto answer = co_await http::fetch(settings.url, std::move(request), settings.tls.get());
  co_return answer;
}

}  // namespace berth::fleet
