#include "console/guard.h"

#include <gtest/gtest.h>

namespace berth::console {
namespace {

http::Headers with(std::initializer_list<http::Header> items) {
  http::Headers headers;
  for (const http::Header& item : items) headers.add(item.name, item.value);
  return headers;
}

bool allowed(std::string_view host, const HostPolicy& policy = {"127.0.0.1", {}}) {
  return host_allowed(with({{"Host", host}}), policy);
}

TEST(HostCheck, TakesLoopbackNamesWithAnyPort) {
  for (const char* host :
       {"localhost", "LOCALHOST:9090", "127.0.0.1:1", "127.0.0.9", "[::1]:9090", "[::1]"}) {
    EXPECT_TRUE(allowed(host)) << host;
  }
}

TEST(HostCheck, RefusesOtherNamesAndBrokenOnes) {
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:9090",
        "localhost:port", "localhost:", "localhost:123456", "[::1", "[::1]x", "::1", "10.0.0.5",
        "user@localhost", "localhost/#@x", ":9090", ""}) {
    EXPECT_FALSE(allowed(host)) << host;
  }
}

TEST(HostCheck, RefusesAMissingOrRepeatedHost) {
  EXPECT_FALSE(host_allowed({}, {"127.0.0.1", {}}));
  EXPECT_FALSE(
      host_allowed(with({{"Host", "localhost"}, {"host", "localhost"}}), {"127.0.0.1", {}}));
}

TEST(HostCheck, TakesTheBoundAddressAndExtraNames) {
  const HostPolicy policy{"10.0.0.5", {"berth.lan"}};
  EXPECT_TRUE(allowed("10.0.0.5:9090", policy));
  EXPECT_TRUE(allowed("Berth.LAN:9090", policy));
  EXPECT_FALSE(allowed("10.0.0.6:9090", policy));
  EXPECT_FALSE(allowed("lan", policy));
}

TEST(HostCheck, AWildcardAddressTakesIpLiteralsButNoNames) {
  for (const char* bound : {"0.0.0.0", "::"}) {
    const HostPolicy policy{bound, {}};
    EXPECT_TRUE(allowed("192.168.1.7:9090", policy));
    EXPECT_TRUE(allowed("[fd00::7]:9090", policy));
    EXPECT_FALSE(allowed("evil.example:9090", policy));
  }
}

TEST(OriginCheck, TakesNoneOrTheSame) {
  EXPECT_TRUE(origin_allowed(with({{"Host", "localhost:9090"}})));
  EXPECT_TRUE(
      origin_allowed(with({{"Host", "localhost:9090"}, {"Origin", "http://localhost:9090"}})));
  EXPECT_TRUE(origin_allowed(with({{"Host", "berth.lan"}, {"Origin", "https://BERTH.lan"}})));
  EXPECT_TRUE(origin_allowed(with({{"Host", "localhost"}, {"Sec-Fetch-Site", "same-origin"}})));
}

TEST(OriginCheck, RefusesOthers) {
  for (const char* origin : {"http://localhost:8080", "http://evil.example", "null", "", "http://",
                             "ftp://localhost:9090", "http://localhost:9090.evil.example"}) {
    EXPECT_FALSE(origin_allowed(with({{"Host", "localhost:9090"}, {"Origin", origin}}))) << origin;
  }
  EXPECT_FALSE(origin_allowed(with({{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}})));
  EXPECT_FALSE(origin_allowed(with({{"Host", "localhost"}, {"Sec-Fetch-Site", "same-site"}})));
  EXPECT_FALSE(origin_allowed(with(
      {{"Host", "localhost"}, {"Origin", "http://localhost"}, {"Origin", "http://evil.example"}})));
}

TokenCheck check(std::string_view authorization, std::string_view token = "correct-horse-battery") {
  return check_token(with({{"Authorization", authorization}}), token);
}

TEST(TokenCheckTest, TakesTheTokenAndNothingElse) {
  EXPECT_EQ(check("Bearer correct-horse-battery"), TokenCheck::kOk);
  EXPECT_EQ(check("bearer correct-horse-battery"), TokenCheck::kOk);
  EXPECT_EQ(check("Bearer correct-horse-batter"), TokenCheck::kWrong);
  EXPECT_EQ(check("Bearer correct-horse-battery2"), TokenCheck::kWrong);
  EXPECT_EQ(check("Bearer CORRECT-horse-battery"), TokenCheck::kWrong);
  EXPECT_EQ(check("Basic correct-horse-battery"), TokenCheck::kMissing);
  EXPECT_EQ(check("Bearer "), TokenCheck::kMissing);
  EXPECT_EQ(check("correct-horse-battery"), TokenCheck::kMissing);
  EXPECT_EQ(check_token({}, "correct-horse-battery"), TokenCheck::kMissing);
}

TEST(TokenCheckTest, WithoutATokenNothingIsRight) {
  EXPECT_EQ(check("Bearer ", ""), TokenCheck::kNotConfigured);
  EXPECT_EQ(check("Bearer x", ""), TokenCheck::kNotConfigured);
}

}  // namespace
}  // namespace berth::console
