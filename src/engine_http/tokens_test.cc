#include "engine_http/tokens.h"

#include <gtest/gtest.h>

namespace berth::engine_http {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  append_text(tokens, text);
  return tokens;
}

TEST(Tokens, FourBytesEachAndExactlyBack) {
  for (const std::string text : {"", "a", "four", "five!", "wörld – ☕ 🚢"}) {
    EXPECT_EQ(tokens_of(text).size(), (text.size() + 3) / 4) << text;
    EXPECT_EQ(count_text(text), tokens_of(text).size());
    EXPECT_EQ(detokenise(tokens_of(text)), text);
  }
}

TEST(Tokens, ZeroBytesAreText) {
  const std::string text("a\0b\0", 4);
  EXPECT_EQ(detokenise(tokens_of(text)), text);
  EXPECT_NE(tokens_of(std::string("a\0", 2)), tokens_of("a"));
}

TEST(Tokens, PiecesAreTokenisedOnTheirOwn) {
  std::vector<Token> tokens = tokens_of("abcde");
  append_text(tokens, "f");
  EXPECT_NE(tokens, tokens_of("abcdef"));
  EXPECT_EQ(detokenise(tokens), "abcdef");
}

TEST(Tokens, MarksAreNoText) {
  EXPECT_NE(mark_token(Mark::kUser), mark_token(Mark::kEnd));
  EXPECT_EQ(token_bytes(mark_token(Mark::kUser)), "");
}

TEST(WholeCharacters, StopsBeforeACutCharacter) {
  const std::string ship = "\xF0\x9F\x9A\xA2";
  EXPECT_EQ(whole_characters(""), 0u);
  EXPECT_EQ(whole_characters("abc"), 3u);
  EXPECT_EQ(whole_characters("ab" + ship.substr(0, 1)), 2u);
  EXPECT_EQ(whole_characters("ab" + ship.substr(0, 3)), 2u);
  EXPECT_EQ(whole_characters("ab" + ship), 6u);
  EXPECT_EQ(whole_characters("\xC3"), 0u);
  EXPECT_EQ(whole_characters("\xC3\xB6"), 2u);
}

}  // namespace
}  // namespace berth::engine_http
