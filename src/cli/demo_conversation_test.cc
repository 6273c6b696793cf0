#include "cli/demo_conversation.h"

#include <gtest/gtest.h>

#include "console/json.h"

namespace berth::cli {
namespace {

using console::Json;

TEST(DemoConversation, EveryRequestExtendsTheOneBefore) {
  DemoConversation conversation("m", 7);
  const Json first = Json::parse(conversation.next_request());
  conversation.add_answer("the answer");
  const Json second = Json::parse(conversation.next_request());
  EXPECT_EQ(conversation.turns(), 2u);
  EXPECT_EQ(second["system"], first["system"]);
  ASSERT_EQ(second["messages"].size(), 3u);
  EXPECT_EQ(second["messages"][0], first["messages"][0]);
  EXPECT_EQ(second["messages"][1], Json({{"role", "assistant"}, {"content", "the answer"}}));
  EXPECT_EQ(second["messages"][2]["role"], "user");
}

TEST(DemoConversation, HasTheSizesOfTheLoadTest) {
  DemoConversation conversation("m", 7);
  const Json first = Json::parse(conversation.next_request());
  EXPECT_EQ(first["system"].get_ref<const std::string&>().size(), 4u * 3'500);
  EXPECT_EQ(first["messages"][0]["content"].get_ref<const std::string&>().size(), 4u * 6'000);
  conversation.add_answer("x");
  const Json second = Json::parse(conversation.next_request());
  EXPECT_EQ(second["messages"][2]["content"].get_ref<const std::string&>().size(), 4u * 400);
  EXPECT_EQ(first["max_tokens"], 256);
  EXPECT_EQ(first["stream"], true);
}

TEST(DemoConversation, SessionsShareTheSystemPromptAndNothingElse) {
  DemoConversation a("m", 1);
  DemoConversation b("m", 2);
  EXPECT_NE(a.session(), b.session());
  const Json first = Json::parse(a.next_request());
  const Json other = Json::parse(b.next_request());
  EXPECT_EQ(first["system"], other["system"]);
  const auto& text = first["messages"][0]["content"].get_ref<const std::string&>();
  EXPECT_NE(text.substr(0, 100), other["messages"][0]["content"].get<std::string>().substr(0, 100));
}

TEST(DemoConversation, TheSessionIdLooksLikeAUuid) {
  const std::string id = DemoConversation("m", 123'456).session();
  ASSERT_EQ(id.size(), 36u);
  for (const std::size_t dash : {8u, 13u, 18u, 23u}) EXPECT_EQ(id[dash], '-') << id;
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef-"), std::string::npos) << id;
}

}  // namespace
}  // namespace berth::cli
