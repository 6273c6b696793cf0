#include "http/head.h"

#include <gtest/gtest.h>

#include "http/token_list.h"

namespace berth::http {
namespace {

TEST(Iequals, ComparesAsciiOnly) {
  EXPECT_TRUE(iequals("Content-Length", "cONTENT-lENGTH"));
  EXPECT_FALSE(iequals("a", "ab"));
  EXPECT_FALSE(iequals("[", "{"));        // 0x20 apart, like a letter and its capital
  EXPECT_FALSE(iequals("\xc4", "\xe4"));  // Latin-1 letters stay apart
}

TEST(Headers, FindsTheFirstAndCountsAll) {
  Headers headers;
  headers.add("X-A", "1");
  headers.add("x-a", "2");
  EXPECT_EQ(headers.get("X-a"), "1");
  EXPECT_EQ(headers.count("x-A"), 2u);
  EXPECT_TRUE(headers.has("x-a"));
  EXPECT_FALSE(headers.has("x-b"));
  EXPECT_EQ(headers.get("x-b"), "");
}

TEST(RequestHead, SplitsTheTarget) {
  RequestHead head;
  head.target = "/v1/models?a=b?c";
  EXPECT_EQ(head.path(), "/v1/models");
  EXPECT_EQ(head.query(), "?a=b?c");
  head.target = "/v1/models";
  EXPECT_EQ(head.path(), "/v1/models");
  EXPECT_EQ(head.query(), "");
}

TEST(TokenList, SkipsEmptyElements) {
  EXPECT_TRUE(list_contains(" , close ,,Keep-Alive", "keep-alive"));
  EXPECT_TRUE(list_contains("close", "close"));
  EXPECT_FALSE(list_contains("closed, xclose", "close"));
  EXPECT_FALSE(list_contains("", ""));
}

TEST(HopByHop, KnowsTheFixedOnes) {
  const HopByHop none{Headers{}};
  for (const auto* name : {"Connection", "keep-alive", "TE", "Trailer", "Transfer-Encoding",
                           "upgrade", "HTTP2-Settings", "Content-Length", "Proxy-Connection",
                           "Proxy-Authorization", "Proxy-Authenticate"}) {
    EXPECT_TRUE(none.covers(name)) << name;
  }
  for (const auto* name :
       {"Host", "Content-Type", "Content-Encoding", "Authorization", "Proxy", "Accept", "Via"}) {
    EXPECT_FALSE(none.covers(name)) << name;
  }
}

TEST(HopByHop, TakesWhatEveryConnectionHeaderNames) {
  Headers headers;
  headers.add("Connection", "close, X-One");
  headers.add("connection", "x-two");
  const HopByHop hop(headers);
  EXPECT_TRUE(hop.covers("x-one"));
  EXPECT_TRUE(hop.covers("X-Two"));
  EXPECT_FALSE(hop.covers("X-Three"));
  EXPECT_FALSE(hop.covers("x-on"));
}

// The list is read once, not for each header, and a name given twice is kept once.
TEST(HopByHop, CollectsTheNamesOnce) {
  Headers headers;
  for (int i = 0; i < 100; ++i) headers.add("Connection", "b, A, B, a, C");
  const HopByHop hop(headers);
  headers.clear();
  EXPECT_EQ(hop.named(), 3u);
  for (const auto* name : {"a", "b", "c"}) EXPECT_TRUE(hop.covers(name)) << name;
  EXPECT_FALSE(hop.covers("d"));
}

}  // namespace
}  // namespace berth::http
