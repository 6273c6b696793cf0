#include "config/toml_characters.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::config {
namespace {

// "LINE:COLUMN" of what is found, or empty.
std::string found(std::string_view text) {
  const auto error = check_characters(text);
  return error ? std::to_string(error->at.line) + ":" + std::to_string(error->at.column) : "";
}

TEST(TomlCharacters, AllowsAnythingInStringsAndComments) {
  EXPECT_EQ(found("# \u00e9\na = \"\u00e9\" # \u00e9\nb = '\u00e9'\n"), "");
  EXPECT_EQ(found("a = \"\"\"\n\u00e9 \"\" \\\"\"\" \u00e9\n\"\"\"\nb = '''\n\u00e9 ' \\'''\n"),
            "");
  EXPECT_EQ(found("\"\u00e9\" = \"a \\\" \u00e9\"\r\n\tb = 1\r\n"), "");
  EXPECT_EQ(found("\xEF\xBB\xBF"
                  "a = 1\n"),
            "");
  EXPECT_EQ(found(""), "");
}

TEST(TomlCharacters, FindsLettersOutsideOfAscii) {
  EXPECT_EQ(found("\u00e9 = 1\n"), "1:1");
  EXPECT_EQ(found("a = 1\nb = \"\u00e9\" \u00e9\n"), "2:9");
  EXPECT_EQ(found("a = '\\'\u00e9'\n"), "1:8");         // no escapes in a literal string
  EXPECT_EQ(found("a = \"open\n\u00e9 = 1\n"), "2:1");  // a string ends with its line
  EXPECT_EQ(found("a = \"\"\u00e9\n"), "1:7");
  EXPECT_EQ(found("a = \xff\n"), "1:5");
}

TEST(TomlCharacters, FindsControlCharactersEverywhere) {
  EXPECT_EQ(found("a = \"\x01\"\n"), "1:6");
  EXPECT_EQ(found("# \x7f\n"), "1:3");
  EXPECT_EQ(found("a = 1\rb = 2\n"), "1:6");
  EXPECT_EQ(found("a = 1\r"), "1:6");
  EXPECT_EQ(found(std::string_view("a = \0", 5)), "1:5");
}

TEST(TomlCharacters, FindsADottedKeyThatWouldExhaustTheParsersStack) {
  std::string deep = "a";
  for (int i = 0; i < 40'000; ++i) deep += ".a";
  EXPECT_NE(found(deep + " = 1\n"), "");
  EXPECT_NE(found("x = 1\n[" + deep + "]\n"), "");
  EXPECT_EQ(found("a = \"" + std::string(1000, '.') + "\" # " + std::string(1000, '.') + "\n"), "");
}

}  // namespace
}  // namespace berth::config
