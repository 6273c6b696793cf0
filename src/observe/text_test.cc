#include "observe/text.h"

#include <gtest/gtest.h>

namespace berth::observe {
namespace {

std::string json(std::string_view text, std::size_t max = 1024) {
  std::string out;
  append_json_string(out, text, max);
  return out;
}

TEST(JsonString, PlainTextAndUnicodeStayAsTheyAre) {
  EXPECT_EQ(json("qwen3/4b"), "\"qwen3/4b\"");
  EXPECT_EQ(json("grüße 日本 🚢"), "\"grüße 日本 🚢\"");
}

TEST(JsonString, QuotesBackslashesAndControlsAreEscaped) {
  EXPECT_EQ(json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json("a\nb\r\t"), R"("a\u000ab\u000d\u0009")");
  EXPECT_EQ(json(std::string_view("a\0b\x1b[31m\x7f", 9)), R"("a\u0000b\u001b[31m\u007f")");
}

TEST(JsonString, C1ControlsThatSteerTerminalsAreEscaped) {
  EXPECT_EQ(json("a\xC2\x9B"
                 "31m"),
            R"("a\u009b31m")");
  EXPECT_EQ(json("\xC2\xA0"), "\"\xC2\xA0\"");  // no-break space is a character, not a control
}

TEST(JsonString, InvalidUtf8IsReplacedByteByByte) {
  EXPECT_EQ(json("a\xFF"
                 "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(json("\xC3"), "\"\xEF\xBF\xBD\"");                                  // truncated
  EXPECT_EQ(json("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // overlong
  EXPECT_EQ(json("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // surrogate
  EXPECT_EQ(json("\xE6\x97\xA5\x80"), "\"\xE6\x97\xA5\xEF\xBF\xBD\"");          // good, then bad
}

TEST(ValidUtf8, CutsLongTextAtACharacter) {
  EXPECT_EQ(valid_utf8("abcdef", 6), "abcdef");
  EXPECT_EQ(valid_utf8("abcdef", 4), "abcd...");
  EXPECT_EQ(valid_utf8("abc\xE6\x97\xA5", 4), "abc...");
  EXPECT_EQ(valid_utf8("abc\xE6\x97\xA5", 5), "abc...");
  EXPECT_EQ(valid_utf8("abc\xE6\x97\xA5z", 6), "abc\xE6\x97\xA5...");
}

TEST(ValidUtf8, ACutInsideARunOfContinuationBytesStaysBounded) {
  const std::string hostile(1000, '\x80');
  EXPECT_LE(valid_utf8(hostile, 16).size(), 16 * 3 + 3u);
  EXPECT_GE(valid_utf8(hostile, 16).size(), 16 * 3u);
}

TEST(Printable, OneLineStaysOneLine) {
  EXPECT_EQ(printable("a\nb \"quoted\" \\", 100), "a\\u000ab \"quoted\" \\");
}

}  // namespace
}  // namespace berth::observe
