#include "inspect/canonical_history.h"

#include <gtest/gtest.h>

#include "inspect/test_bodies.h"

namespace berth::inspect {
namespace {

using Chain = std::vector<std::uint64_t>;

Chain chain_of(std::string_view path, const std::string& members) {
  const auto facts = facts_of(path, "{" + members + "}");
  EXPECT_TRUE(facts) << facts.error().message;
  return facts ? facts->chain : Chain{};
}

Chain messages(const std::string& list, const std::string& system = R"("You are helpful.")") {
  return chain_of("/v1/messages", R"("messages":[)" + list + R"(],"system":)" + system);
}

Chain chat(const std::string& list) {
  return chain_of("/v1/chat/completions", R"("messages":[)" + list + "]");
}

bool is_prefix(const Chain& a, const Chain& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

TEST(CanonicalHistory, AStringAndBlocksOfTheSameTextAreEqual) {
  const Chain string = messages(R"({"role":"user","content":"a\nb"})");
  ASSERT_EQ(string.size(), 1u);
  EXPECT_EQ(messages(R"({"content":[{"text":"a\u000ab","type":"text"}],"role":"user"})"), string);
  EXPECT_EQ(messages(R"({"role":"user","content":[{"type":"text","text":"a\n"},)"
                     R"({"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]})"),
            string);
  EXPECT_NE(messages(R"({"role":"user","content":"a b"})"), string);
  EXPECT_NE(messages(R"({"role":"assistant","content":"a\nb"})"), string);
}

TEST(CanonicalHistory, SystemCountsButNotItsAttribution) {
  const std::string user = R"({"role":"user","content":"hi"})";
  const Chain plain = messages(user, R"("You are helpful.")");
  EXPECT_EQ(
      messages(
          user,
          R"([{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.328.a1b;"},)"
          R"({"type":"text","text":"You are helpful.","cache_control":{"type":"ephemeral"}}])"),
      plain);
  EXPECT_EQ(messages(user, R"("x-anthropic-billing-header: cch=1;\nYou are helpful.")"), plain);
  EXPECT_NE(messages(user, R"("You are rude.")"), plain);
  EXPECT_NE(messages(user, "null"), plain);
}

TEST(CanonicalHistory, RemindersAtTheBeginningOfATextDoNotCount) {
  const std::string reminder = R"(<system-reminder>\nToday is Monday.\n</system-reminder>)";
  const Chain plain = chat(R"({"role":"user","content":"hi"})");
  EXPECT_EQ(chat(R"({"role":"user","content":[{"type":"text","text":")" + reminder +
                 R"("},{"type":"text","text":"hi"}]})"),
            plain);
  EXPECT_EQ(chat(R"({"role":"user","content":")" + reminder + reminder + R"(\nhi"})"), plain);
  EXPECT_EQ(chat(R"({"role":"user","content":")" + reminder + R"("})"), Chain{});
  EXPECT_NE(chat(R"({"role":"user","content":"hi)" + reminder + R"("})"), plain);
  EXPECT_NE(chat(R"({"role":"user","content":"<system-reminder>hi"})"), plain);
  EXPECT_EQ(chat(R"({"role":"user","content":"<system-reminder>hi"})").size(), 1u);
}

TEST(CanonicalHistory, TheOrderOfMembersDoesNotMatter) {
  EXPECT_EQ(chain_of("/v1/messages", R"("system":"s","messages":[{"role":"user","content":"x"}])"),
            chain_of("/v1/messages", R"("messages":[{"content":"x","role":"user"}],"system":"s")"));
  // The last of equal members counts, in whole.
  EXPECT_EQ(chain_of("/v1/messages", R"("messages":[{"role":"user","content":"y"}],"system":"t",)"
                                     R"("messages":[{"role":"user","content":"x"}],"system":"s")"),
            chain_of("/v1/messages", R"("system":"s","messages":[{"role":"user","content":"x"}])"));
}

TEST(CanonicalHistory, SystemTurnsInsideMessagesHaveNoEntry) {
  const std::string one = R"({"role":"user","content":"one"})";
  const std::string note = R"({"role":"system","content":"<total_tokens>9 left</total_tokens>"})";
  const std::string two = R"({"role":"assistant","content":"two"})";
  EXPECT_EQ(messages(one + "," + note + "," + two), messages(one + "," + two));
  EXPECT_EQ(messages(note + "," + one), messages(one));
  EXPECT_EQ(chat(one + "," + note + "," + two), chat(one + "," + two));
  // In chat the leading ones are the system prompt.
  EXPECT_NE(chat(note + "," + one), chat(one));
  EXPECT_EQ(chat(note + "," + one).size(), 1u);
}

TEST(CanonicalHistory, ThoughtsAndIdsAreLeftOut) {
  EXPECT_EQ(
      messages(
          R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},)"
          R"({"type":"text","text":"ok"},{"type":"tool_use","id":"toolu_1","name":"ls","input":{"p": "/"}}]})"),
      messages(
          R"({"role":"assistant","content":[{"type":"text","text":"ok"},)"
          R"({"input":{"p":"/"},"type":"tool_use","id":"toolu_2","name":"ls","cache_control":{}}]})"));
  EXPECT_EQ(chat(R"({"role":"assistant","content":"ok","reasoning_content":"hm"})"),
            chat(R"({"role":"assistant","content":"ok"})"));
  EXPECT_EQ(messages(R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]})"),
            Chain{});
}

TEST(CanonicalHistory, CallsAndResultsCountByContent) {
  const auto call = [](const std::string& name, const std::string& arguments) {
    return chat(R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
                R"("function":{"name":")" +
                name + R"(","arguments":")" + arguments + R"("}}]})");
  };
  ASSERT_EQ(call("ls", "{}").size(), 1u);
  EXPECT_NE(call("ls", "{}"), call("cat", "{}"));
  EXPECT_NE(call("ls", "{}"), call("ls", "{ }"));
  EXPECT_NE(chat(R"({"role":"tool","tool_call_id":"c1","content":"a"})"),
            chat(R"({"role":"tool","tool_call_id":"c1","content":"b"})"));
  EXPECT_EQ(chat(R"({"role":"tool","tool_call_id":"c1","content":"a"})"),
            chat(R"({"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"a"}]})"));
  const auto result = [](const std::string& content) {
    return messages(
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":)" +
        content + "}]}");
  };
  EXPECT_EQ(result(R"("out")"), result(R"([{"type":"text","text":"out"}])"));
  EXPECT_NE(result(R"("out")"), result(R"("other")"));
  EXPECT_NE(result(R"("out")"), messages(R"({"role":"user","content":"out"})"));
  // Unlike texts, parts do not run together.
  EXPECT_NE(result(R"("a"},{"type":"tool_result","content":"b")"), result(R"("ab")"));
}

TEST(CanonicalHistory, OtherPartsCountByTheirBytes) {
  const auto image = [](const std::string& data) {
    return messages(
        R"({"role":"user","content":[{"type":"image","source":{"type":"base64","data":")" + data +
        R"("}}]})");
  };
  EXPECT_EQ(image("AAAA").size(), 1u);
  EXPECT_NE(image("AAAA"), image("AAAB"));
}

TEST(CanonicalHistory, TextThatIsNoTextStillCounts) {
  const Chain a = chat(R"({"role":"user","content":"x\ud800"})");
  ASSERT_EQ(a.size(), 1u);
  EXPECT_NE(a, chat(R"({"role":"user","content":"x\ud801"})"));
}

TEST(CanonicalHistory, ResponsesItems) {
  const auto input = [](const std::string& value) {
    return chain_of("/v1/responses", R"("instructions":"s","input":)" + value);
  };
  EXPECT_EQ(
      input(R"("hi")"),
      input(R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}])"));
  EXPECT_EQ(input(R"("hi")"), input(R"([{"role":"user","content":"hi"}])"));
  EXPECT_NE(input(R"("hi")"), chain_of("/v1/responses", R"("input":"hi")"));
  const std::string user = R"({"role":"user","content":"hi"})";
  const std::string call =
      R"({"type":"function_call","name":"sh","arguments":"{}","call_id":"c1","id":"fc_1"})";
  EXPECT_EQ(input("[" + user +
                  R"(,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},)" +
                  call + "]"),
            input("[" + user + "," + call + "]"));
  EXPECT_EQ(input("[" + user + "," + call +
                  R"(,{"type":"function_call_output","call_id":"c1","output":"o"}])")
                .size(),
            3u);
  EXPECT_NE(input("[" + user + R"(,{"type":"function_call_output","output":"o"}])"),
            input("[" + user + R"(,{"type":"function_call_output","output":"p"}])"));
}

TEST(CanonicalHistory, PromptsOfCompletions) {
  const auto prompt = [](const std::string& value) {
    return chain_of("/v1/completions", R"("prompt":)" + value);
  };
  EXPECT_EQ(prompt(R"("once")").size(), 1u);
  EXPECT_EQ(prompt(R"(["once"])"), prompt(R"("once")"));
  EXPECT_EQ(prompt("[1,2,3]").size(), 1u);
  EXPECT_NE(prompt("[1,2,3]"), prompt("[12,3]"));
  EXPECT_EQ(prompt(R"(["a","b"])"), Chain{});
  EXPECT_EQ(prompt("[[1],[2]]"), Chain{});
  EXPECT_EQ(prompt("null"), Chain{});
}

TEST(CanonicalHistory, AContinuedHistoryHasTheOldChainAsPrefix) {
  std::string list = R"({"role":"user","content":"0"})";
  Chain before = chat(list);
  for (int i = 1; i < 50; ++i) {
    list += R"(,{"role":")" + std::string(i % 2 ? "assistant" : "user") + R"(","content":")" +
            std::to_string(i) + R"("})";
    const Chain now = chat(list);
    ASSERT_EQ(now.size(), before.size() + 1);
    ASSERT_TRUE(is_prefix(before, now));
    before = now;
  }
}

TEST(CanonicalHistory, TheChainIsBounded) {
  std::string list = R"({"role":"user","content":"x"})";
  for (std::size_t i = 1; i < kMaxChain + 10; ++i) list += R"(,{"role":"user","content":"x"})";
  const auto facts = facts_of("/v1/chat/completions", R"({"messages":[)" + list + "]}");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->messages, kMaxChain + 10);
  EXPECT_EQ(facts->chain.size(), kMaxChain);
}

std::string repeated(std::string_view unit, std::size_t times) {
  std::string out;
  out.reserve(unit.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += unit;
  return out;
}

// Beyond the budget nothing is read: what follows changes nothing.
TEST(CanonicalHistory, ABodyOfMillionsOfTinyPartsIsReadAsFarAsTheBudgetGoes) {
  const std::string first = R"({"role":"user","content":"a"})";
  const std::string last = R"(,{"role":"user","content":"b"})";
  // A message and a member each, and no entry.
  constexpr std::size_t kMost = ReadingBudget::kMaxParts / (ReadingBudget::kNodeParts + 1);
  const std::string half = repeated(R"(,{"role":"user"})", kMost * 2 / 3);
  EXPECT_EQ(chat(first + half + last).size(), 2u);
  EXPECT_EQ(chat(first + half + half + last), chat(first));
  const std::string tokens = repeated(",1", ReadingBudget::kMaxParts);
  EXPECT_EQ(chain_of("/v1/completions", R"("prompt":[1)" + tokens + "]"), Chain{});
  const std::string blocks = repeated(R"(,"")", ReadingBudget::kMaxParts);
  EXPECT_EQ(chat(first + R"(,{"content":["")" + blocks + R"(],"role":"user"})" + last),
            chat(first));
}

TEST(CanonicalHistory, APromptOfAMillionTokensIsRead) {
  const std::string tokens = repeated(",1", 1'000'000);
  EXPECT_EQ(chain_of("/v1/completions", R"("prompt":[1)" + tokens + "]").size(), 1u);
}

TEST(CanonicalHistory, TextBeyondTheBudgetCountsByItsBytes) {
  const std::string plain(ReadingBudget::kMaxText / 2 - 3, 'x');  // with quotes: two bytes left
  const auto three = [&](const std::string& text) {
    const std::string block = R"({"type":"text","text":")" + plain + R"("},)";
    return chat(R"({"role":"user","content":[)" + block + block + R"({"type":"text","text":")" +
                text + R"("}]})");
  };
  EXPECT_EQ(three("ab"), three("ab"));
  EXPECT_NE(three(R"(a\u0062)"), three("ab"));  // the third text is no longer unescaped
  EXPECT_NE(three("ac"), three("ab"));
}

// Deep enough to overflow the stack of a reader that follows.
TEST(CanonicalHistory, CallsWithinCallsAreNotFollowedForEver) {
  constexpr std::size_t kDeep = 100'000;
  EXPECT_EQ(chat(R"({"role":"assistant","function_call":)" +
                 repeated(R"({"function_call":)", kDeep) + "1" + repeated("}", kDeep) + "}")
                .size(),
            1u);
  EXPECT_EQ(
      chat(R"({"role":"assistant","tool_calls":[{"function":)" +
           repeated(R"({"tool_calls":[{"function":)", kDeep) + "1" + repeated("}]}", kDeep) + "}]}")
          .size(),
      1u);
  EXPECT_EQ(chat(R"({"role":"user","content":)" + repeated(R"([{"content":)", kDeep) + "1" +
                 repeated("}]", kDeep) + "}")
                .size(),
            1u);
}

}  // namespace
}  // namespace berth::inspect
