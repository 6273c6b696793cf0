#include "console/bodies.h"

#include <gtest/gtest.h>

namespace berth::console {
namespace {

template <typename T>
std::string error_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  if (result) return {};
  EXPECT_EQ(result.error().code, ErrorCode::kBadJson);
  return result.error().message;
}

TEST(Bodies, ARoutingChangeTakesOnlyWhatIsGiven) {
  const auto change = parse_routing_change(R"({"affinity":false})");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->affinity, false);
  EXPECT_FALSE(change->policy);
  EXPECT_FALSE(change->overflow_threshold);
}

TEST(Bodies, AThresholdIsANumberOrAuto) {
  const auto fixed = parse_routing_change(R"({"overflow_threshold":3,"policy":"round-robin"})");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->overflow_threshold, std::optional<std::uint32_t>(3));
  EXPECT_EQ(fixed->policy, routing::Policy::kRoundRobin);
  const auto automatic = parse_routing_change(R"({"overflow_threshold":"auto"})");
  ASSERT_TRUE(automatic);
  ASSERT_TRUE(automatic->overflow_threshold);
  EXPECT_FALSE(*automatic->overflow_threshold);
}

TEST(Bodies, ErrorsNameTheField) {
  EXPECT_NE(error_of(parse_routing_change(R"({"affinity":"on"})")).find("\"affinity\""),
            std::string::npos);
  EXPECT_NE(error_of(parse_routing_change(R"({"policy":"hash"})")).find("session-hash"),
            std::string::npos);
  EXPECT_NE(error_of(parse_routing_change(R"({"policy":4})")).find("\"policy\""),
            std::string::npos);
  for (const char* value : {"-1", "1.5", "\"8\"", "null", "4294967296", "65537", "true"}) {
    const std::string body = std::string(R"({"overflow_threshold":)") + value + "}";
    EXPECT_NE(error_of(parse_routing_change(body)).find("\"overflow_threshold\""),
              std::string::npos)
        << value;
  }
  EXPECT_NE(error_of(parse_routing_change(R"({"afinity":true})")).find("\"afinity\""),
            std::string::npos);
  EXPECT_NE(error_of(parse_drain(R"({"drain":1})")).find("\"drain\""), std::string::npos);
  EXPECT_NE(error_of(parse_explain(R"({"session":7})")).find("\"session\""), std::string::npos);
}

TEST(Bodies, WhatIsNoObjectIsRefused) {
  for (const char* body : {"", "{", "[]", "null", "\"x\"", "{\"drain\":true}x"})
    error_of(parse_drain(body));
  error_of(parse_routing_change("{}"));
}

TEST(Bodies, ASessionIdHasBounds) {
  const auto body = [](std::size_t n) { return R"({"session":")" + std::string(n, 's') + "\"}"; };
  EXPECT_TRUE(parse_explain(body(1)));
  EXPECT_TRUE(parse_explain(body(255)));
  error_of(parse_explain(body(0)));
  error_of(parse_explain(body(256)));
}

TEST(Bodies, AnErrorDoesNotGrowWithTheCallersText) {
  const std::string body = R"({")" + std::string(10'000, 'k') + R"(":1})";
  EXPECT_LT(error_of(parse_drain(body)).size(), 200u);
}

TEST(Bodies, DeepNestingIsAnErrorNotACrash) {
  error_of(parse_drain(std::string(kMaxBodyBytes, '[')));
  error_of(parse_drain(std::string(8'000, '[') + std::string(8'000, ']')));
}

}  // namespace
}  // namespace berth::console
