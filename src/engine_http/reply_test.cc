#include "engine_http/reply.h"

#include <gtest/gtest.h>

#include <set>

namespace berth::engine_http {
namespace {

GenerateRequest asking(const std::string& text) {
  GenerateRequest request;
  request.conversation.tools = {{"Bash", "", "{}"}};
  request.conversation.turns = {{.role = Role::kUser, .text = text, .calls = {}}};
  request.prompt = render_prompt(request.conversation);
  return request;
}

std::string text_of_pieces(const Reply& reply, Piece::Kind kind) {
  std::string text;
  for (const Piece& piece : reply.pieces) {
    if (piece.kind == kind) text += piece.text;
  }
  return text;
}

TEST(Reply, WithoutAScriptATextOfASeededLength) {
  std::set<std::size_t> lengths;
  for (int i = 0; i < 50; ++i) {
    const GenerateRequest request = asking("hello " + std::to_string(i));
    const Reply reply = make_reply(request, 1, 10'000);
    EXPECT_EQ(make_reply(request, 1, 10'000).tokens, reply.tokens) << "deterministic";
    EXPECT_GE(reply.tokens.size(), 32u);
    EXPECT_LE(reply.tokens.size(), 256u);
    EXPECT_EQ(reply.finish, Finish::kStop);
    EXPECT_EQ(reply.pieces.size(), reply.tokens.size());
    EXPECT_EQ(text_of_pieces(reply, Piece::Kind::kText), reply.answer.text);
    EXPECT_NE(reply.answer.text.back(), ' ');
    lengths.insert(reply.tokens.size());
  }
  EXPECT_GT(lengths.size(), 20u);
  EXPECT_NE(make_reply(asking("hello"), 1, 10'000).tokens,
            make_reply(asking("hello"), 2, 10'000).tokens);
}

TEST(Reply, MaxTokensCutsIt) {
  const Reply reply = make_reply(asking("hello"), 1, 5);
  EXPECT_EQ(reply.tokens.size(), 5u);
  EXPECT_EQ(reply.finish, Finish::kLength);
  EXPECT_EQ(reply.answer.text.size(), 20u);
}

TEST(Reply, IgnoringTheEndGivesExactlyMaxTokens) {
  GenerateRequest request = asking("hello");
  request.ignore_eos = true;
  EXPECT_EQ(make_reply(request, 1, 1'000).tokens.size(), 1'000u);
}

TEST(Reply, CallsAreStartedAndThenGivenOutPieceByPiece) {
  const Reply reply = make_reply(
      asking(
          R"(berth-script: [{"text":"I look.","tools":[{"tool":"Bash","args":{"command":"ls -l"}},{"tool":"Bash"}]}])"),
      1, 10'000);
  EXPECT_EQ(reply.finish, Finish::kToolCalls);
  EXPECT_EQ(reply.answer.text, "I look.");
  ASSERT_EQ(reply.answer.calls.size(), 2u);
  EXPECT_NE(reply.answer.calls[0].id, reply.answer.calls[1].id);
  EXPECT_EQ(text_of_pieces(reply, Piece::Kind::kCallArguments), R"({"command":"ls -l"}{})");
  std::vector<std::uint32_t> started;
  for (const Piece& piece : reply.pieces) {
    if (piece.kind == Piece::Kind::kCallStart) started.push_back(piece.call);
  }
  EXPECT_EQ(started, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(reply.tokens, render_answer(reply.answer));
}

TEST(Reply, ACallThatIsCutOffIsNotInTheAnswer) {
  const GenerateRequest request = asking(
      R"(berth-script: [{"text":"Now.","tool":"Bash","args":{"command":"a long command"}}])");
  const Reply whole = make_reply(request, 1, 10'000);
  const Reply cut = make_reply(request, 1, whole.tokens.size() - 1);
  EXPECT_EQ(cut.finish, Finish::kLength);
  EXPECT_EQ(cut.answer.text, "Now.");
  EXPECT_TRUE(cut.answer.calls.empty());
  EXPECT_EQ(cut.calls.size(), 1u) << "a stream has begun it";
}

TEST(Reply, NoPieceEndsInsideACharacter) {
  const std::string ships = "a🚢🚢🚢é";
  const Reply reply = make_reply(asking(R"(berth-script: [{"text":")" + ships + R"("}])"), 1, 100);
  EXPECT_EQ(reply.answer.text, ships);
  std::string text;
  for (const Piece& piece : reply.pieces) {
    EXPECT_EQ(whole_characters(piece.text), piece.text.size());
    text += piece.text;
  }
  EXPECT_EQ(text, ships);
  const Reply cut = make_reply(asking(R"(berth-script: [{"text":")" + ships + R"("}])"), 1, 1);
  EXPECT_EQ(cut.answer.text, "a") << "the broken ship is dropped";
}

}  // namespace
}  // namespace berth::engine_http
