#include "inspect/replies.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::inspect {
namespace {

using Json = nlohmann::json;

TEST(Replies, ErrorsHaveTheShapeOfTheApi) {
  const Json anthropic =
      Json::parse(error_body(ApiShape::kAnthropic, 404, "unknown_model", "no \"x\"\n\x01\xff"));
  EXPECT_EQ(anthropic["type"], "error");
  EXPECT_EQ(anthropic["error"]["type"], "not_found_error");
  EXPECT_EQ(anthropic["error"]["message"], "no \"x\"\n\x01\xEF\xBF\xBD");
  EXPECT_EQ(anthropic["error"]["code"], "unknown_model");
  const Json openai = Json::parse(error_body(ApiShape::kOpenAiChat, 400, "bad_json", "m"));
  EXPECT_EQ(
      openai,
      Json::parse(
          R"({"error":{"message":"m","type":"invalid_request_error","param":null,"code":"bad_json"}})"));
}

TEST(Replies, EveryErrorCodeHasAStatus) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const int status = http_status(static_cast<ErrorCode>(i));
    EXPECT_GE(status, 400);
    EXPECT_LT(status, 600);
  }
  EXPECT_EQ(http_status(ErrorCode::kUnknownModel), 404);
  EXPECT_EQ(http_status(ErrorCode::kOverloaded), 503);
}

}  // namespace
}  // namespace berth::inspect
