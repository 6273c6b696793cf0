#include "fleet/server_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ServerSettings server(const std::string& url, std::string key = "") {
  ServerSettings settings;
  settings.url = *http::parse_url(url);
  settings.api_key = std::move(key);
  return settings;
}

Result<http::ClientResponse> status(int code) {
  http::ClientResponse response;
  response.status = code;
  return response;
}

TEST(ServerRequests, UrlsAreWrittenAsTheOperatorWroteThem) {
  EXPECT_EQ(url_text(*http::parse_url("http://gpu0:8000")), "http://gpu0:8000");
  EXPECT_EQ(url_text(*http::parse_url("https://[::1]:8443/base/")), "https://[::1]:8443/base");
}

TEST(ServerRequests, EachStatusSaysWhatToDo) {
  const auto open = server("http://gpu0:8000");
  EXPECT_EQ(explain_status(open, "/v1/models", 401),
            "http://gpu0:8000/v1/models answered 401: set the server's api_key");
  EXPECT_EQ(explain_status(server("http://gpu0:8000", "sk-1"), "/v1/models", 403),
            "http://gpu0:8000/v1/models answered 403: the server does not accept the api_key it is "
            "configured with");
  EXPECT_THAT(explain_status(open, "/v1/models", 404), HasSubstr("without /v1"));
  EXPECT_THAT(explain_status(open, "/v1/models", 307),
              HasSubstr("a redirect; configure the URL it leads to"));
  EXPECT_EQ(explain_status(open, "/metrics", 500), "http://gpu0:8000/metrics answered 500");
}

TEST(ServerRequests, ErrorsNameTheUrlAndNeverTheKey) {
  const Error error{ErrorCode::kUpstreamBadResponse, "gpu0:8000: no status line"};
  const auto text = explain_error(server("http://gpu0:8000", "sk-secret"), "/health", error);
  EXPECT_THAT(text, StartsWith("http://gpu0:8000/health: gpu0:8000: no status line"));
  EXPECT_THAT(text, HasSubstr("https?"));
  EXPECT_THAT(text, Not(HasSubstr("sk-secret")));
}

TEST(JudgeHealth, Statuses) {
  const auto s = server("http://gpu0:8000");
  for (const int good : {200, 204, 400, 401, 404, 405, 429}) {
    EXPECT_EQ(judge_health(s, status(good)).result, CheckResult::kOk) << good;
  }
  EXPECT_EQ(judge_health(s, status(503)).result, CheckResult::kUnavailable);
  for (const int bad : {301, 500, 502, 504}) {
    EXPECT_EQ(judge_health(s, status(bad)).result, CheckResult::kFailed) << bad;
  }
}

TEST(JudgeHealth, Errors) {
  const auto judge = [](ErrorCode code) {
    return judge_health(server("http://gpu0:8000"), tl::unexpected(Error{code, "why"}));
  };
  EXPECT_EQ(judge(ErrorCode::kConnectFailed).result, CheckResult::kRefused);
  EXPECT_EQ(judge(ErrorCode::kConnectTimeout).result, CheckResult::kUnanswered);
  EXPECT_EQ(judge(ErrorCode::kUpstreamTimeout).result, CheckResult::kUnanswered);
  for (const auto code :
       {ErrorCode::kUpstreamReset, ErrorCode::kTlsFailed, ErrorCode::kUpstreamBadResponse}) {
    EXPECT_EQ(judge(code).result, CheckResult::kFailed);
  }
  // Out of descriptors here is no fault there.
  EXPECT_EQ(judge(ErrorCode::kOverloaded).result, CheckResult::kOurs);
  EXPECT_EQ(judge(ErrorCode::kConfig).result, CheckResult::kOurs);
}

}  // namespace
}  // namespace berth::fleet
