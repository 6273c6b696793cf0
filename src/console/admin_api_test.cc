#include "console/admin_api.h"

#include <gtest/gtest.h>

#include "console/bodies.h"
#include "console/fake_source.h"

namespace berth::console {
namespace {

constexpr const char* kToken = "correct-horse-battery";

class AdminApiTest : public ::testing::Test {
 protected:
  using Extra = std::vector<http::Header>;

  Answer call(std::string_view method, std::string_view target, std::string_view body = {},
              const Extra& extra = {}, const std::string& token = kToken) {
    http::RequestHead head;
    head.method = method;
    head.target = target;
    head.headers.add("Host", "127.0.0.1:9090");
    for (const http::Header& header : extra) head.headers.add(header.name, header.value);
    return AdminApi(source_, clock_, {"127.0.0.1", {}}, token).handle(head, body);
  }
  Answer write(std::string_view method, std::string_view target, std::string_view body) {
    return call(method, target, body, {{"Authorization", "Bearer correct-horse-battery"}});
  }
  static std::string header(const Answer& answer, std::string_view name) {
    for (const auto& [key, value] : answer.headers) {
      if (http::iequals(key, name)) return value;
    }
    return {};
  }
  static std::string code(const Answer& answer) {
    const Json json = Json::parse(answer.body, nullptr, false);
    return json.value("/error/code"_json_pointer, "");
  }

  ManualClock clock_;
  FakeSource source_ = FakeSource::two_ranks(clock_.now());
};

TEST_F(AdminApiTest, ServesMetricsAsThePrometheusTextFormat) {
  const Answer answer = call("GET", "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer.body, source_.metrics);
}

TEST_F(AdminApiTest, HealthIsTheProcessAndReadinessTheFleet) {
  source_.is_ready = false;
  source_.fleet.draining = true;
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  const Answer answer = call("GET", "/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(Json::parse(answer.body)["reasons"][0], "Berth is shutting down.");
  source_.is_ready = true;
  EXPECT_EQ(call("GET", "/readyz").status, 200);
}

TEST_F(AdminApiTest, TheSnapshotIsNotSentAgainWhileNothingChanges) {
  const Answer first = call("GET", "/api/snapshot?x=1");
  ASSERT_EQ(first.status, 200);
  const std::string etag = header(first, "etag");
  clock_.advance(std::chrono::seconds(3));
  source_.fleet.uptime += std::chrono::seconds(3);
  const Answer second = call("GET", "/api/snapshot", {}, {{"If-None-Match", etag}});
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(header(second, "etag"), etag);
  source_.fleet.models[0].outcomes[0]++;
  EXPECT_EQ(call("GET", "/api/snapshot", {}, {{"If-None-Match", etag}}).status, 200);
}

TEST_F(AdminApiTest, ExplainsByIdAndHidesTheId) {
  source_.sessions["s1"] = {FakeSource::conversation(clock_.now())};
  const Answer answer = call("POST", "/api/explain", R"({"session":"s1"})");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(Json::parse(answer.body)["session"], "hash(s1)");
  const Answer unknown = call("POST", "/api/explain", R"({"session":"canary"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(code(unknown), "unknown_session");
  EXPECT_EQ(unknown.body.find("canary"), std::string::npos);
}

TEST_F(AdminApiTest, ChangesRoutingAndAnswersWithTheResult) {
  const Answer answer = write("PUT", "/api/models/org/qwen3-4b/routing",
                              R"({"affinity":false,"overflow_threshold":3})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  ASSERT_EQ(source_.changes.size(), 1u);
  EXPECT_EQ(source_.changes[0].first, "org/qwen3-4b");
  const Json json = Json::parse(answer.body);
  EXPECT_EQ(json["affinity"], false);
  EXPECT_EQ(json["overflow_threshold"]["value"], 3);
  EXPECT_EQ(json["overflow_threshold"]["auto"], false);
}

TEST_F(AdminApiTest, DrainsAReplica) {
  const Answer answer =
      write("POST", "/api/models/org%2Fqwen3-4b/replicas/gpu0:8000%231/drain", R"({"drain":true})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(source_.drains, std::vector<std::string>{"org/qwen3-4b|gpu0:8000#1|on"});
}

TEST_F(AdminApiTest, AnUnknownModelIsNotFound) {
  EXPECT_EQ(write("PUT", "/api/models/other/routing", R"({"affinity":true})").status, 404);
}

TEST_F(AdminApiTest, WithoutAConfiguredTokenEveryWriteIsRefusedWithTheCure) {
  for (const Extra& extra :
       {Extra{}, Extra{{"Authorization", "Bearer x"}}, Extra{{"Authorization", "Bearer "}}}) {
    const Answer answer =
        call("PUT", "/api/models/org/qwen3-4b/routing", R"({"affinity":false})", extra, "");
    EXPECT_EQ(answer.status, 403);
    EXPECT_NE(answer.body.find("--admin-token-file"), std::string::npos);
  }
  EXPECT_TRUE(source_.changes.empty());
}

TEST_F(AdminApiTest, AWrongOrMissingTokenIs401) {
  for (const Extra& extra : {Extra{}, Extra{{"Authorization", "Bearer wrong-horse-battery"}}}) {
    for (const char* target : {"/api/models/org/qwen3-4b/routing", "/api/models/other/routing"}) {
      const Answer answer = call("PUT", target, R"({"affinity":false})", extra);
      EXPECT_EQ(answer.status, 401);
      EXPECT_EQ(header(answer, "www-authenticate"), "Bearer");
    }
  }
  EXPECT_EQ(call("POST", "/api/models/org/qwen3-4b/replicas/x/drain", R"({"drain":true})").status,
            401);
  EXPECT_TRUE(source_.changes.empty());
  EXPECT_TRUE(source_.drains.empty());
}

TEST_F(AdminApiTest, ANewTokenTakesThePlaceOfTheOld) {
  AdminApi api(source_, clock_, {"127.0.0.1", {}}, kToken);
  http::RequestHead head;
  head.method = "PUT";
  head.target = "/api/models/org/qwen3-4b/routing";
  head.headers.add("Host", "localhost");
  head.headers.add("Authorization", "Bearer another-long-token");
  EXPECT_EQ(api.handle(head, R"({"affinity":false})").status, 401);
  api.set_token("another-long-token");
  EXPECT_EQ(api.handle(head, R"({"affinity":false})").status, 200);
}

TEST_F(AdminApiTest, BadJsonNamesTheField) {
  const Answer answer = write("PUT", "/api/models/org/qwen3-4b/routing", R"({"affinity":1})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(code(answer), "bad_json");
  EXPECT_NE(answer.body.find("affinity"), std::string::npos);
  EXPECT_TRUE(source_.changes.empty());
}

TEST_F(AdminApiTest, AForeignHostIs421OnEveryPath) {
  for (const char* target : {"/metrics", "/healthz", "/readyz", "/api/snapshot", "/nothing"}) {
    http::RequestHead head;
    head.method = "GET";
    head.target = target;
    head.headers.add("Host", "rebound.example:9090");
    const Answer answer = AdminApi(source_, clock_, {"127.0.0.1", {}}, kToken).handle(head, {});
    EXPECT_EQ(answer.status, 421) << target;
    EXPECT_EQ(code(answer), "wrong_host");
  }
}

TEST_F(AdminApiTest, AForeignOriginMayNotPost) {
  source_.sessions["s1"] = {FakeSource::conversation(clock_.now())};
  const Answer refused =
      call("POST", "/api/explain", R"({"session":"s1"})", {{"Origin", "http://evil.example"}});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(code(refused), "cross_origin");
  const Answer write =
      call("PUT", "/api/models/org/qwen3-4b/routing", R"({"affinity":false})",
           {{"Origin", "http://evil.example"}, {"Authorization", "Bearer correct-horse-battery"}});
  EXPECT_EQ(write.status, 403);
  EXPECT_TRUE(source_.changes.empty());
  EXPECT_EQ(
      call("POST", "/api/explain", R"({"session":"s1"})", {{"Origin", "http://127.0.0.1:9090"}})
          .status,
      200);
}

TEST_F(AdminApiTest, NoStateChangesByGet) {
  for (const char* method : {"GET", "HEAD", "OPTIONS", "DELETE", "POST"}) {
    const Answer answer =
        write(method, "/api/models/org/qwen3-4b/routing", R"({"affinity":false})");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(header(answer, "allow"), "PUT");
  }
  EXPECT_TRUE(source_.changes.empty());
}

TEST_F(AdminApiTest, EveryAnswerCarriesTheSafetyHeadersAndNoCors) {
  for (const char* target : {"/metrics", "/api/snapshot", "/nothing"}) {
    const Answer answer = call("GET", target, {}, {{"Origin", "http://evil.example"}});
    EXPECT_EQ(header(answer, "x-content-type-options"), "nosniff");
    EXPECT_EQ(header(answer, "cache-control"), "no-store");
    for (const auto& [name, value] : answer.headers) {
      EXPECT_FALSE(name.starts_with("Access-Control")) << name;
    }
  }
}

TEST_F(AdminApiTest, AnUnknownPathListsWhatExists) {
  const Answer answer = call("GET", "/nothing");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_NE(answer.body.find("/api/snapshot"), std::string::npos);
}

}  // namespace
}  // namespace berth::console
