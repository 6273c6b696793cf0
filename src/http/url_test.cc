#include <gtest/gtest.h>

#include "http/client.h"

namespace berth::http {
namespace {

TEST(ParseUrl, ReadsAllParts) {
  const auto url = parse_url("http://vllm-0.internal:8000");
  ASSERT_TRUE(url);
  EXPECT_FALSE(url->tls);
  EXPECT_EQ(url->host, "vllm-0.internal");
  EXPECT_EQ(url->port, 8000);
  EXPECT_EQ(url->prefix, "");
  EXPECT_EQ(url->authority(), "vllm-0.internal:8000");
}

TEST(ParseUrl, KnowsTheDefaultPorts) {
  EXPECT_EQ(parse_url("http://a")->port, 80);
  EXPECT_EQ(parse_url("HTTPS://a")->port, 443);
  EXPECT_TRUE(parse_url("HTTPS://a")->tls);
}

TEST(ParseUrl, TakesThePrefixWithoutTrailingSlashes) {
  EXPECT_EQ(parse_url("http://a/")->prefix, "");
  EXPECT_EQ(parse_url("http://a:1/base/x//")->prefix, "/base/x");
}

TEST(ParseUrl, ReadsIpv6Literals) {
  const auto url = parse_url("https://[fd00::1]:8443/x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->authority(), "[fd00::1]:8443");
  EXPECT_EQ(parse_url("http://[::1]")->port, 80);
}

TEST(ParseUrl, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "must begin with http://"},
      {"vllm:8000", "must begin with http://"},
      {"ftp://a", "must begin with http://"},
      {"http://", "the host is missing"},
      {"http://:80", "the host is missing"},
      {"http:///x", "the host is missing"},
      {"http://a:0", "port must be 1 to 65535"},
      {"http://a:65536", "port must be 1 to 65535"},
      {"http://a:", "port must be 1 to 65535"},
      {"http://a:+1", "port must be 1 to 65535"},
      {"http://a:99999999999999999999", "port must be 1 to 65535"},
      {"http://::1", "the host is missing"},
      {"http://fd00::1", "needs brackets"},
      {"http://[::1", "no closing bracket"},
      {"http://[a]", "no IPv6 address"},
      {"http://[::1]x", "only a port may follow"},
      {"http://a?x", "a query is not allowed"},
      {"http://a/#x", "a fragment is not allowed"},
      {"http://user:pw@a", "user info is not allowed"},
      {"http://a b", "a space"},
      {"http://a\r\n", "a space"},
      {"http://ü", "outside printable ASCII"},
      {"http://a,b", "a character that is not allowed"},
  };
  for (const auto& one : cases) {
    const auto url = parse_url(one.text);
    ASSERT_FALSE(url) << one.text;
    EXPECT_EQ(url.error().code, ErrorCode::kConfig);
    EXPECT_NE(url.error().message.find(one.why), std::string::npos)
        << one.text << ": " << url.error().message;
  }
}

TEST(ParseUrl, NeverRepeatsAPassword) {
  EXPECT_EQ(parse_url("http://user:secret@a").error().message.find("secret"), std::string::npos);
  EXPECT_EQ(parse_url("user:secret@a").error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace berth::http
