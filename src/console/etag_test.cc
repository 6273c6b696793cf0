#include "console/etag.h"

#include <gtest/gtest.h>

namespace berth::console {
namespace {

TEST(Etag, IsWeakAndQuoted) {
  const std::string etag = weak_etag(Json{{"a", 1}});
  EXPECT_TRUE(etag.starts_with("W/\""));
  EXPECT_TRUE(etag.ends_with("\""));
}

TEST(Etag, AgesDoNotCountAndValuesDo) {
  const Json document{{"uptime_s", 1.0}, {"rows", {{{"state_since_s", 3.0}, {"requests", 5}}}}};
  Json later = document;
  later["uptime_s"] = 2.0;
  later["rows"][0]["state_since_s"] = 4.0;
  EXPECT_EQ(weak_etag(document), weak_etag(later));
  later["rows"][0]["requests"] = 6;
  EXPECT_NE(weak_etag(document), weak_etag(later));
}

TEST(Etag, MatchesListsWeakAndStrongFormsAndTheStar) {
  const std::string etag = "W/\"abc\"";
  EXPECT_TRUE(etag_matches("W/\"abc\"", etag));
  EXPECT_TRUE(etag_matches("\"abc\"", etag));
  EXPECT_TRUE(etag_matches("\"x\" , W/\"abc\"", etag));
  EXPECT_TRUE(etag_matches(" * ", etag));
}

TEST(Etag, DoesNotMatchOthersOrNothing) {
  const std::string etag = "W/\"abc\"";
  EXPECT_FALSE(etag_matches("", etag));
  EXPECT_FALSE(etag_matches("\"abcd\"", etag));
  EXPECT_FALSE(etag_matches("abc", etag));
  EXPECT_FALSE(etag_matches(",,", etag));
}

}  // namespace
}  // namespace berth::console
