#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings(const std::map<std::string, std::string>& flags,
                                  const std::string& url = "http://gpu0:8000") {
  const auto config = load(std::nullopt, {}, {flags, {url}});
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? config->warnings : std::vector<std::string>{};
}

TEST(Warnings, DefaultsRaiseNone) { EXPECT_THAT(warnings({}), IsEmpty()); }

TEST(Warnings, PooledConnectionsThatOutliveUvicorns) {
  EXPECT_THAT(warnings({{"timeouts.upstream_pool_idle", "4999ms"}}), IsEmpty());
  EXPECT_THAT(
      warnings({{"timeouts.upstream_pool_idle", "5s"}}),
      ElementsAre(testing::AllOf(
          HasSubstr("--upstream-pool-idle: timeouts.upstream_pool_idle: 5s is not below 5s"),
          HasSubstr("uvicorn"), HasSubstr("VLLM_HTTP_TIMEOUT_KEEP_ALIVE"))));
}

TEST(Warnings, KeepAlivesThatComeTooLate) {
  EXPECT_THAT(warnings({{"timeouts.keep_alive_after", "299s"}}), IsEmpty());
  EXPECT_THAT(warnings({{"timeouts.keep_alive_after", "5m"}}),
              ElementsAre(HasSubstr("timeouts.keep_alive_after")));
  EXPECT_THAT(warnings({{"timeouts.keep_alive_after", "0"}}),
              ElementsAre(HasSubstr("timeouts.keep_alive_after")));
}

TEST(Warnings, AnOpenListenerThatWasAskedFor) {
  EXPECT_THAT(warnings({{"listen", "0.0.0.0:8080"}, {"allow_open_listener", "on"}}),
              ElementsAre("--allow-open-listener: allow_open_listener: everybody who can reach "
                          "0.0.0.0:8080 can use "
                          "the models, without a key"));
  EXPECT_THAT(warnings({{"allow_open_listener", "on"}}), IsEmpty());
}

TEST(Warnings, ASaltWithoutTenants) {
  EXPECT_THAT(warnings({{"cache_salt_per_tenant", "on"}}),
              ElementsAre(HasSubstr("has no effect without client keys")));
}

}  // namespace
}  // namespace berth::config
