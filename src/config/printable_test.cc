#include "config/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

TEST(Printable, LeavesNoControlCharacter) {
  EXPECT_EQ(printable("a\nb\r\tc\x1b[2Jd\x7f"), "a?b??c?[2Jd?");
  EXPECT_EQ(printable("\xC2\x9B 31m \xE2\x80\xA8 \xE2\x80\xA9"), "? 31m ? ?");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F \xE2\x80\xA6"), "gr\xC3\xBC\xC3\x9F \xE2\x80\xA6");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("ab\xC3\xBC", 3), "ab...");
}

// Every kind of text a file can get into a message with, each with a line end written as TOML
// allows it.
TEST(Printable, AProblemIsOneLineWhateverTheFileHolds) {
  const TempFolder folder;
  const std::string server = "[[server]]\nurl = \"http://gpu0:8000\"\n";
  for (const std::string& text : std::vector<std::string>{
           "\"key\\u000aforged\" = 1\n" + server,
           "access_log = \"a\\nforged\"\n" + server,
           "listen = \"a\\nforged\"\n" + server,
           "threads = \"a\\nforged\"\n" + server,
           "[defaults]\npolicy = \"a\\nforged\"\n" + server,
           "[identity]\norder = [\"a\\nforged\"]\n" + server,
           "[identity]\nheaders = [\"a\\nforged\"]\n" + server,
           "[timeouts]\ndrain = \"a\\nforged\"\n" + server,
           "[limits]\nbody_bytes = \"a\\nforged\"\n" + server,
           "[\"a\\nforged\"]\nx = 1\n" + server,
           "[[server]]\nurl = \"http://a\\nforged\"\n",
           "[[server]]\nurl = \"a\\nforged\"\n",
           server + "name = \"a\\nforged\"\n",
           server + "\"a\\nforged\" = 1\n",
           server + "api_key = \"a\\nforged\"\n",
           server + "api_key_file = \"a\\nforged\"\n",
           server + "[[model]]\nname = \"a\\nforged\"\n",
           server + "[[model]]\nname = \"m\"\naliases = [\"a\\nforged\"]\n",
           server + "[[model]]\nname = \"m\"\nreplicas = [\"a\\nforged\"]\n",
           server + "[[model]]\nname = \"m\"\nserver = \"http://a\\nforged\"\n",
           server + "[[client_key]]\nname = \"a\\nforged\"\nkey = \"0123456789abcdef\"\n",
           server + "[[client_key]]\nname = \"a\"\nsha256 = \"a\\nforged\"\n"}) {
    const auto config = load(folder.write("berth.toml", text), {}, {});
    ASSERT_FALSE(config) << text;
    std::size_t begin = 0;
    do {
      EXPECT_TRUE(config.error().message.substr(begin).starts_with(folder.path("berth.toml")))
          << config.error().message;
      begin = config.error().message.find('\n', begin) + 1;
    } while (begin != 0);
  }
}

TEST(Printable, AProblemIsBoundedHoweverLongTheTextIs) {
  const TempFolder folder;
  const std::string file =
      folder.write("berth.toml", "[defaults]\npolicy = \"" + std::string(500'000, 'x') + "\"\n");
  const auto config = load(file, {}, {});
  ASSERT_FALSE(config);
  EXPECT_LT(config.error().message.size(), 3000u);
}

}  // namespace
}  // namespace berth::config
