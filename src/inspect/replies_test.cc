#include "inspect/replies.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "inspect/models_body.h"
#include "inspect/response_tap.h"
#include "inspect/sse_splitter.h"

namespace berth::inspect {
namespace {

using Json = nlohmann::json;

constexpr ApiShape kShapes[] = {ApiShape::kAnthropic, ApiShape::kOpenAiChat,
                                ApiShape::kOpenAiCompletions, ApiShape::kOpenAiResponses,
                                ApiShape::kOpenAiOther};

struct Event {
  std::string type;
  std::string data;
};

std::vector<Event> events_of(const std::string& bytes) {
  SseSplitter splitter(1u << 20);
  splitter.push(bytes);
  std::vector<Event> events;
  SseEvent event;
  while (splitter.next(event)) events.push_back({std::string(event.type), std::string(event.data)});
  EXPECT_TRUE(splitter.at_boundary()) << bytes;
  return events;
}

TEST(ErrorBodies, HaveTheShapeOfTheApi) {
  const Json anthropic = Json::parse(
      error_body(ApiShape::kAnthropic, 404, "unknown_model", "no \"x\"\n\x01\xff", "req-1"));
  EXPECT_EQ(anthropic["type"], "error");
  EXPECT_EQ(anthropic["error"]["type"], "not_found_error");
  EXPECT_EQ(anthropic["error"]["message"], "no \"x\"\n\x01\xEF\xBF\xBD");
  EXPECT_EQ(anthropic["error"]["code"], "unknown_model");
  EXPECT_EQ(anthropic["request_id"], "req-1");
  EXPECT_FALSE(Json::parse(error_body(ApiShape::kAnthropic, 404, "c", "m")).contains("request_id"));
  const Json openai = Json::parse(error_body(ApiShape::kOpenAiChat, 400, "bad_json", "m", "req-1"));
  EXPECT_EQ(openai, Json::parse(R"({"error":{"message":"m","type":"invalid_request_error",)"
                                R"("param":null,"code":"bad_json"}})"));
}

TEST(ErrorBodies, TypesAreTheApisOwn) {
  const auto type = [](ApiShape shape, int status) {
    return Json::parse(error_body(shape, status, "c", "m"))["error"]["type"].get<std::string>();
  };
  for (const ApiShape shape : kShapes) {
    EXPECT_EQ(type(shape, 400), "invalid_request_error");
    EXPECT_EQ(type(shape, 401), "authentication_error");
    EXPECT_EQ(type(shape, 403), "permission_error");
    EXPECT_EQ(type(shape, 404), "not_found_error");
    EXPECT_EQ(type(shape, 405), "invalid_request_error");
    EXPECT_EQ(type(shape, 408), "timeout_error");
    EXPECT_EQ(type(shape, 429), "rate_limit_error");
    EXPECT_EQ(type(shape, 503), "overloaded_error");
    EXPECT_EQ(type(shape, 504), "timeout_error");
    EXPECT_EQ(type(shape, 529), "overloaded_error");
  }
  EXPECT_EQ(type(ApiShape::kAnthropic, 413), "request_too_large");
  EXPECT_EQ(type(ApiShape::kOpenAiChat, 413), "invalid_request_error");
  EXPECT_EQ(type(ApiShape::kAnthropic, 502), "api_error");
  EXPECT_EQ(type(ApiShape::kOpenAiChat, 502), "server_error");
}

TEST(ErrorBodies, EveryErrorCodeHasAStatus) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const int status = http_status(code);
    if (error_source(code) == ErrorSource::kClient) {
      EXPECT_TRUE(status >= 400 && status < 500) << error_code_name(code);
    } else {
      EXPECT_TRUE(status >= 500 && status < 600) << error_code_name(code);
    }
  }
  EXPECT_EQ(http_status(ErrorCode::kUnknownModel), 404);
  EXPECT_EQ(http_status(ErrorCode::kBodyTooLarge), 413);
  EXPECT_EQ(http_status(ErrorCode::kUpstreamTimeout), 504);
  EXPECT_EQ(http_status(ErrorCode::kOverloaded), 503);
  EXPECT_EQ(http_status(ErrorCode::kDraining), 503);
}

TEST(StreamErrors, AreHeardAsErrorsAndEndTheStreamWhereItHasAnEnd) {
  for (const ApiShape shape : kShapes) {
    ResponseTap tap(shape, true);
    EXPECT_FALSE(tap.feed(stream_error_event(shape, 503, "no_replica", "none \"free\"")));
    EXPECT_TRUE(tap.result().stream_error) << api_shape_name(shape);
    EXPECT_EQ(tap.result().ended, shape != ApiShape::kAnthropic) << api_shape_name(shape);
    EXPECT_TRUE(tap.at_event_boundary());
  }
}

TEST(StreamErrors, Messages) {
  const auto events = events_of(stream_error_event(ApiShape::kAnthropic, 400, "bad_json", "m"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, "error");
  EXPECT_EQ(Json::parse(events[0].data)["error"]["type"], "invalid_request_error");
}

TEST(StreamErrors, WhatARepeatMayMendIsOverload) {
  for (const ApiShape shape : {ApiShape::kAnthropic, ApiShape::kOpenAiChat}) {
    const auto type = [&](int status) {
      const auto events = events_of(stream_error_event(shape, status, "code", "m"));
      const Json data = Json::parse(events.at(0).data);
      EXPECT_EQ(data["error"]["code"], "code");
      return data["error"]["type"].get<std::string>();
    };
    for (const int status : {408, 409, 500, 502, 503, 504, 529}) {
      EXPECT_EQ(type(status), "overloaded_error") << status;
    }
    EXPECT_EQ(type(429), "rate_limit_error");
    EXPECT_EQ(type(400), "invalid_request_error");
    EXPECT_EQ(type(404), "not_found_error");
  }
}

TEST(StreamErrors, ResponsesSayWhatCodexUnderstands) {
  const auto failed = [](int status) {
    const auto events =
        events_of(stream_error_event(ApiShape::kOpenAiResponses, status, "no_replica", "m"));
    EXPECT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, "response.failed");
    return Json::parse(events[0].data);
  };
  const Json busy = failed(503);
  EXPECT_EQ(busy["type"], "response.failed");
  EXPECT_TRUE(busy["sequence_number"].is_number_integer());
  EXPECT_EQ(busy["response"]["status"], "failed");
  EXPECT_EQ(busy["response"]["error"]["code"], "no_replica");
  EXPECT_EQ(busy["response"]["error"]["message"], "m");
  EXPECT_EQ(failed(429)["response"]["error"]["code"], "no_replica");
  EXPECT_EQ(failed(400)["response"]["error"]["code"], "invalid_prompt");
}

TEST(KeepAlive, IsOneEventThatSaysNothing) {
  for (const ApiShape shape : kShapes) {
    for (const bool began : {false, true}) {
      const std::string bytes = keep_alive_event(shape, "org/\"m\"", began);
      const auto events = events_of(bytes);
      ASSERT_EQ(events.size(), 1u) << bytes;
      EXPECT_TRUE(Json::accept(events[0].data)) << bytes;
      ResponseTap tap(shape, true);
      EXPECT_FALSE(tap.feed(bytes)) << bytes;
      EXPECT_FALSE(tap.result().ended);
      EXPECT_FALSE(tap.result().stream_error);
      EXPECT_FALSE(tap.result().prompt_tokens || tap.result().output_tokens);
      EXPECT_TRUE(tap.at_event_boundary());
    }
  }
}

TEST(KeepAlive, ShapesOfEachApi) {
  const auto data = [](ApiShape shape, bool began) {
    return Json::parse(events_of(keep_alive_event(shape, "m", began)).at(0).data);
  };
  EXPECT_EQ(keep_alive_event(ApiShape::kAnthropic, "m"),
            "event: ping\ndata: {\"type\":\"ping\"}\n\n");
  const Json chat = data(ApiShape::kOpenAiChat, false);
  EXPECT_EQ(chat["object"], "chat.completion.chunk");
  EXPECT_EQ(chat["model"], "m");
  EXPECT_TRUE(chat["id"].is_string() && chat["created"].is_number_integer());
  EXPECT_EQ(chat["choices"][0]["delta"], Json::object());
  EXPECT_TRUE(chat["choices"][0]["finish_reason"].is_null());
  EXPECT_EQ(data(ApiShape::kOpenAiCompletions, false)["choices"][0]["text"], "");
  const Json created = data(ApiShape::kOpenAiResponses, false);
  EXPECT_EQ(created["type"], "response.created");
  EXPECT_TRUE(created["sequence_number"].is_number_integer());
  EXPECT_EQ(created["response"]["status"], "in_progress");
  EXPECT_EQ(created["response"]["output"], Json::array());
  const Json later = data(ApiShape::kOpenAiResponses, true);
  EXPECT_EQ(later["type"], "keepalive");
  EXPECT_FALSE(later.contains("response"));
}

TEST(ModelsBody, ServesBothKindsOfClient) {
  const Json body = Json::parse(models_body(
      {{"org/a", {"claude-a", "a"}, 1764547200, "vllm", 40960}, {"b", {}, -5, "x\"y", {}}}));
  EXPECT_EQ(body["object"], "list");
  EXPECT_EQ(body["has_more"], false);
  EXPECT_EQ(body["first_id"], "org/a");
  EXPECT_EQ(body["last_id"], "b");
  ASSERT_EQ(body["data"].size(), 4u);
  const Json& alias = body["data"][1];
  EXPECT_EQ(alias["id"], "claude-a");
  EXPECT_EQ(alias["object"], "model");
  EXPECT_EQ(alias["type"], "model");
  EXPECT_EQ(alias["display_name"], "claude-a");
  EXPECT_EQ(alias["root"], "org/a");
  EXPECT_EQ(alias["owned_by"], "vllm");
  EXPECT_EQ(alias["created"], 1764547200);
  EXPECT_EQ(alias["created_at"], "2025-12-01T00:00:00Z");
  EXPECT_EQ(alias["max_model_len"], 40960);
  EXPECT_TRUE(body["data"][3]["max_model_len"].is_null());
  EXPECT_EQ(body["data"][3]["created_at"], "1970-01-01T00:00:00Z");
  const Json none = Json::parse(models_body({}));
  EXPECT_EQ(none["data"], Json::array());
  EXPECT_TRUE(none["first_id"].is_null() && none["last_id"].is_null());
}

}  // namespace
}  // namespace berth::inspect
