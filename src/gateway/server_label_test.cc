#include "gateway/server_label.h"

#include <gtest/gtest.h>

#include <set>

namespace berth::gateway {
namespace {

std::string label_of(const std::string& url) { return server_label(*http::parse_url(url)); }

TEST(ServerLabel, IsTheAuthorityAndThePath) {
  EXPECT_EQ(label_of("http://gpu0:8000"), "gpu0:8000");
  EXPECT_EQ(label_of("https://gpu0"), "gpu0:443");
  EXPECT_EQ(label_of("http://[::1]:8000/"), "[::1]:8000");
  EXPECT_EQ(label_of("http://gpu0:8000/team-a/"), "gpu0:8000/team-a");
  EXPECT_NE(label_of("http://gpu0:8000/team-a"), label_of("http://gpu0:8000/team-b"));
  EXPECT_EQ(server_label_with_scheme(*http::parse_url("https://gpu0:8000/a")),
            "https://gpu0:8000/a");
}

TEST(ServerLabel, IsBoundedAndStillTellsLongOnesApart) {
  std::set<std::string> seen;
  const std::string path(3000, 'x');
  for (int i = 0; i < 100; ++i) {
    const std::string label = label_of("http://gpu0:8000/" + path + std::to_string(i));
    EXPECT_EQ(label.size(), kMaxServerLabel);
    EXPECT_TRUE(label.starts_with("gpu0:8000/xxx"));
    seen.insert(label);
  }
  EXPECT_EQ(seen.size(), 100u);
  const std::string at_the_limit(kMaxServerLabel - std::string("gpu0:8000/").size(), 'y');
  EXPECT_EQ(label_of("http://gpu0:8000/" + at_the_limit), "gpu0:8000/" + at_the_limit);
}

}  // namespace
}  // namespace berth::gateway
