#include "inspect/edits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inspect/test_bodies.h"

namespace berth::inspect {
namespace {

const Endpoint& chat() { return *find_endpoint("/v1/chat/completions"); }

BodyFacts facts(std::string_view body) {
  auto read = facts_of("/v1/chat/completions", body);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *std::move(read) : BodyFacts{};
}

std::string with_usage(std::string_view body) {
  return inspect::apply(body, {splice_include_usage(facts(body), body)});
}

TEST(Edits, ModelIsReplacedInPlace) {
  const std::string_view body = "{ \"model\" :\t\"alias\" , \"x\": 1 }";
  EXPECT_EQ(inspect::apply(body, {splice_model(facts(body), "org/Real \"7B\"\n")}),
            "{ \"model\" :\t\"org/Real \\\"7B\\\"\\n\" , \"x\": 1 }");
}

TEST(Edits, TheModelThatCountsIsReplaced) {
  const std::string_view body = R"({"model":"a","m":1,"model":"b"})";
  EXPECT_EQ(inspect::apply(body, {splice_model(facts(body), "c")}),
            R"({"model":"a","m":1,"model":"c"})");
}

TEST(Edits, AMissingModelIsPutFirst) {
  EXPECT_EQ(inspect::apply(R"( {"x":1})", {splice_model(facts(R"( {"x":1})"), "m")}),
            R"( {"model":"m","x":1})");
  EXPECT_EQ(inspect::apply("{}", {splice_model(facts("{}"), "m")}), R"({"model":"m"})");
  EXPECT_EQ(inspect::apply(R"({"model":null})", {splice_model(facts(R"({"model":null})"), "m")}),
            R"({"model":"m"})");
}

TEST(Edits, IncludeUsageInEveryForm) {
  EXPECT_EQ(with_usage(R"({"stream":true})"),
            R"({"stream_options":{"include_usage":true},"stream":true})");
  EXPECT_EQ(with_usage("{ }"), R"({"stream_options":{"include_usage":true} })");
  EXPECT_EQ(with_usage("\xEF\xBB\xBF{\"a\":1}"),
            "\xEF\xBB\xBF{\"stream_options\":{\"include_usage\":true},\"a\":1}");
  EXPECT_EQ(with_usage(R"({"stream_options":{}})"), R"({"stream_options":{"include_usage":true}})");
  EXPECT_EQ(with_usage(R"({"stream_options": { } })"),
            R"({"stream_options": {"include_usage":true } })");
  EXPECT_EQ(with_usage(R"({"stream_options":{"x":{"y":[]}},"b":2})"),
            R"({"stream_options":{"include_usage":true,"x":{"y":[]}},"b":2})");
  EXPECT_EQ(with_usage(R"({"stream_options":null})"),
            R"({"stream_options":{"include_usage":true}})");
  EXPECT_EQ(with_usage(R"({"stream_options":{"include_usage" : false}})"),
            R"({"stream_options":{"include_usage" : true}})");
  EXPECT_EQ(with_usage(R"({"stream_options":{"include_usage":true,"include_usage":null}})"),
            R"({"stream_options":{"include_usage":true,"include_usage":true}})");
  EXPECT_EQ(with_usage(R"({"stream_options":{"include_usage":true},"stream_options":{}})"),
            R"({"stream_options":{"include_usage":true},"stream_options":{"include_usage":true}})");
}

TEST(Edits, UsageIsAskedForOnlyWhereItIsMissing) {
  const auto lacks = [](std::string_view path, std::string_view body) {
    return lacks_usage_chunk(*find_endpoint(path), *facts_of(path, body));
  };
  EXPECT_TRUE(lacks("/v1/chat/completions", R"({"stream":true})"));
  EXPECT_TRUE(
      lacks("/v1/completions", R"({"stream":true,"stream_options":{"include_usage":false}})"));
  EXPECT_FALSE(
      lacks("/v1/chat/completions", R"({"stream":true,"stream_options":{"include_usage":true}})"));
  EXPECT_FALSE(lacks("/v1/chat/completions", R"({"stream":false})"));
  EXPECT_FALSE(lacks("/v1/chat/completions",
                     R"({"stream":true,"stream_options":{"continuous_usage_stats":true}})"));
  EXPECT_FALSE(lacks("/v1/messages", R"({"stream":true})"));
  EXPECT_FALSE(lacks("/v1/responses", R"({"stream":true})"));
}

TEST(Edits, CacheSalt) {
  EXPECT_EQ(inspect::apply(R"({"a":1})", {splice_cache_salt(facts(R"({"a":1})"), "s")}),
            R"({"cache_salt":"s","a":1})");
  const std::string_view own = R"({"cache_salt":"mine"})";
  EXPECT_EQ(inspect::apply(own, {splice_cache_salt(facts(own), "s")}), R"({"cache_salt":"s"})");
}

TEST(Edits, AllAtOnceInAnyOrder) {
  const std::string body = R"({"a":[1,2],"model":"x","stream":true})";
  const BodyFacts read = facts(body);
  ASSERT_TRUE(lacks_usage_chunk(chat(), read));
  std::vector<Splice> splices{splice_model(read, "y"), splice_cache_salt(read, "s"),
                              splice_include_usage(read, body)};
  const std::string out = inspect::apply(body, splices);
  const auto json = nlohmann::json::parse(out);
  EXPECT_EQ(json["model"], "y");
  EXPECT_EQ(json["cache_salt"], "s");
  EXPECT_EQ(json["stream_options"]["include_usage"], true);
  EXPECT_EQ(json["a"], nlohmann::json({1, 2}));
  EXPECT_GE(out.capacity(), out.size() + kPadding);

  const BodyFacts empty = facts("{}");
  EXPECT_EQ(nlohmann::json::parse(
                inspect::apply("{}", {splice_model(empty, "y"), splice_cache_salt(empty, "s"),
                                      splice_include_usage(empty, "{}")}))
                .size(),
            3u);
}

}  // namespace
}  // namespace berth::inspect
