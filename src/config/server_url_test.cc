#include "config/server_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::config {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string read(std::string_view text) {
  const auto url = normalize_server_url(text);
  return url ? *url : "refused: " + url.error().message;
}

TEST(ServerUrl, HasOneSpelling) {
  EXPECT_EQ(read("http://gpu0:8000"), "http://gpu0:8000");
  EXPECT_EQ(read("HTTP://GPU0:8000/"), "http://gpu0:8000");
  EXPECT_EQ(read("http://gpu0:80"), "http://gpu0");
  EXPECT_EQ(read("http://gpu0:443"), "http://gpu0:443");
  EXPECT_EQ(read("https://gpu0:443"), "https://gpu0");
  EXPECT_EQ(read("https://gpu0:0443"), "https://gpu0");
  EXPECT_EQ(read("http://[::1]:8000"), "http://[::1]:8000");
  EXPECT_EQ(read("http://[::1]"), "http://[::1]");
  EXPECT_EQ(read("https://host.example/Team/vLLM//"), "https://host.example/Team/vLLM");
  EXPECT_EQ(read("http://vllm_0.default.svc:8000"), "http://vllm_0.default.svc:8000");
}

TEST(ServerUrl, RefusesTheRestWithTheCure) {
  EXPECT_THAT(read(""), HasSubstr("expected a URL"));
  EXPECT_THAT(read("gpu0:8000"), HasSubstr("begin it with http://"));
  EXPECT_THAT(read("ws://gpu0"), HasSubstr("use http or https"));
  EXPECT_THAT(read("http://"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://:8000"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://gpu0:"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://gpu 0"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://[::1"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://[::1]x"), HasSubstr("is not HOST or HOST:PORT"));
  EXPECT_THAT(read("http://gpu0:0"), HasSubstr("is not a port"));
  EXPECT_THAT(read("http://gpu0:8000x"), HasSubstr("is not a port"));
  EXPECT_THAT(read("http://gpu0:8000@2"), HasSubstr("user information"));
  EXPECT_THAT(read("http://gpu0:8000?rank=2"), HasSubstr("give data_parallel_size"));
  EXPECT_THAT(read("http://gpu0/a b"), HasSubstr("must not hold spaces"));
  EXPECT_THAT(read("http://gpu0/v1"), HasSubstr("must not end in /v1"));
  EXPECT_THAT(read("http://gpu0/team/v1/"), HasSubstr("must not end in /v1"));
}

TEST(ServerUrl, NeverRepeatsUserInformation) {
  for (const char* url :
       {"http://me:canary@gpu0", "me:canary@gpu0:8000", "//me:canary@gpu0", "ftp://canary@gpu0"}) {
    EXPECT_THAT(read(url), Not(HasSubstr("canary"))) << url;
  }
  // After the authority an @ is an ordinary character.
  EXPECT_EQ(read("http://gpu0/a@b"), "http://gpu0/a@b");
}

}  // namespace
}  // namespace berth::config
