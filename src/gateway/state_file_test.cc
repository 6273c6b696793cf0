#include "gateway/state_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace berth::gateway {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() {
    std::string pattern = ::testing::TempDir() + "berth-state-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~StateFileTest() override { std::filesystem::remove_all(dir_); }

  void write(const std::string& text) { std::ofstream(dir_ + "/bindings.json") << text; }

  static SavedModels one_binding() {
    routing::SavedBinding b;
    b.key = {"team-a", "qwen", "session-1", "agent-7"};
    b.identity = routing::IdentitySource::kClaudeCode;
    b.replica_label = "gpu0:8000#2";
    b.idle = minutes(5);
    b.kept = minutes(40);
    b.tokens = 12'345;
    b.turns = 7;
    b.chain_end = 0xfedcba9876543210u;
    return {{"qwen", {b}}};
  }

  std::string dir_;
};

TEST_F(StateFileTest, BindingsComeBackWithTheTimeBerthWasDownAddedToTheirIdleTime) {
  const WallTime then = WallTime{} + std::chrono::hours(1000);
  ASSERT_TRUE(save_bindings(dir_, one_binding(), then).has_value());
  const auto loaded = load_bindings(dir_, then + seconds(90));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const routing::SavedBinding& b = loaded->at("qwen").at(0);
  const routing::SavedBinding expected = one_binding().at("qwen").at(0);
  EXPECT_EQ(b.key, expected.key);
  EXPECT_EQ(b.identity, expected.identity);
  EXPECT_EQ(b.replica_label, expected.replica_label);
  EXPECT_EQ(b.idle, minutes(5) + seconds(90));
  EXPECT_EQ(b.kept, minutes(40));
  EXPECT_EQ(b.tokens, expected.tokens);
  EXPECT_EQ(b.turns, expected.turns);
  EXPECT_EQ(b.chain_end, expected.chain_end);
}

TEST_F(StateFileTest, AClockThatWentBackDoesNotMakeBindingsYounger) {
  const WallTime then = WallTime{} + std::chrono::hours(1000);
  ASSERT_TRUE(save_bindings(dir_, one_binding(), then).has_value());
  const auto loaded = load_bindings(dir_, then - std::chrono::hours(1));
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->at("qwen").at(0).idle, minutes(5));
}

TEST_F(StateFileTest, TheFileIsReadableByItsOwnerOnly) {
  ASSERT_TRUE(save_bindings(dir_, one_binding(), WallTime{}).has_value());
  struct stat info{};
  ASSERT_EQ(::stat((dir_ + "/bindings.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(StateFileTest, NoFileYetIsNotFound) {
  EXPECT_EQ(load_bindings(dir_, WallTime{}).error().code, ErrorCode::kNotFound);
}

TEST_F(StateFileTest, EveryKindOfDamageIsAnErrorThatNamesTheFile) {
  ASSERT_TRUE(save_bindings(dir_, one_binding(), WallTime{}).has_value());
  std::stringstream whole;
  whole << std::ifstream(dir_ + "/bindings.json").rdbuf();
  for (
      const std::string& text :
      {std::string("not json"), std::string(), whole.str().substr(0, whole.str().size() / 2),
       std::string(R"({"schema":99,"saved_at_unix_ms":0,"models":{}})"),
       std::string(R"({"schema":1,"saved_at_unix_ms":0,"models":{"qwen":[{"tenant":7}]}})"),
       std::string(
           R"({"schema":1,"saved_at_unix_ms":0,"models":{"qwen":[{"tenant":"","model":"","session":"",)"
           R"("agent":"","identity":99,"replica":"","idle_ms":0,"tokens":0,"turns":0}]}})")}) {
    write(text);
    const auto loaded = load_bindings(dir_, WallTime{});
    ASSERT_FALSE(loaded.has_value()) << text;
    EXPECT_EQ(loaded.error().code, ErrorCode::kIo);
    EXPECT_NE(loaded.error().message.find("bindings.json"), std::string::npos);
  }
}

TEST_F(StateFileTest, EveryNumberIsBounded) {
  const std::map<std::string, std::string> good{
      {"schema", "1"},     {"saved_at_unix_ms", "1000"},
      {"identity", "2"},   {"idle_ms", "5"},
      {"tokens", "7"},     {"turns", "3"},
      {"chain_end", "99"},
  };
  const auto file_with = [&](const std::string& name, const std::string& value) {
    std::map<std::string, std::string> numbers = good;
    numbers[name] = value;
    write(R"({"schema":)" + numbers["schema"] + R"(,"saved_at_unix_ms":)" +
          numbers["saved_at_unix_ms"] +
          R"(,"models":{"m":[{"tenant":"","model":"","session":"s","agent":"","replica":"r",)" +
          R"("identity":)" + numbers["identity"] + R"(,"idle_ms":)" + numbers["idle_ms"] +
          R"(,"tokens":)" + numbers["tokens"] + R"(,"turns":)" + numbers["turns"] +
          R"(,"chain_end":)" + numbers["chain_end"] + "}]}}");
  };
  file_with("schema", "1");
  ASSERT_TRUE(load_bindings(dir_, WallTime{}).has_value());
  for (const auto& [name, value] : good) {
    for (const std::string bad : {"-1", "-9223372036854775808", "1.5", "1e300", "\"1\"", "null",
                                  "99999999999999999999999", "true"}) {
      file_with(name, bad);
      const auto loaded = load_bindings(dir_, WallTime{});
      ASSERT_FALSE(loaded.has_value()) << name << " = " << bad;
      EXPECT_NE(loaded.error().message.find(name), std::string::npos) << loaded.error().message;
    }
    if (name == "chain_end") continue;  // a hash may be any number
    for (const std::string bad : {"9223372036854775807", "18446744073709551615"}) {
      file_with(name, bad);
      EXPECT_FALSE(load_bindings(dir_, WallTime{}).has_value()) << name << " = " << bad;
    }
  }
  file_with("identity", "4294967298");  // 2, if it were cut to 32 bits
  EXPECT_FALSE(load_bindings(dir_, WallTime{}).has_value());
}

TEST_F(StateFileTest, APipeInPlaceOfAFileIsRefusedNotWaitedFor) {
  ASSERT_EQ(::mkfifo((dir_ + "/bindings.json").c_str(), 0600), 0);
  const auto loaded = load_bindings(dir_, WallTime{});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kIo);
  EXPECT_NE(loaded.error().message.find("bindings.json: it is a named pipe"), std::string::npos);
  ASSERT_EQ(::mkfifo((dir_ + "/key").c_str(), 0600), 0);
  const auto key = open_state_key(dir_);
  ASSERT_FALSE(key.has_value());
  EXPECT_NE(key.error().message.find("key: it is a named pipe"), std::string::npos);
}

TEST_F(StateFileTest, NothingIsWrittenThroughWhatLiesInTheWay) {
  const std::string temporary = dir_ + "/bindings.json.new";
  std::ofstream(dir_ + "/victim") << "untouched";
  std::filesystem::create_symlink(dir_ + "/victim", temporary);
  ASSERT_TRUE(save_bindings(dir_, one_binding(), WallTime{}).has_value());
  std::string text;
  std::ifstream(dir_ + "/victim") >> text;
  EXPECT_EQ(text, "untouched");
  ASSERT_EQ(::mkfifo(temporary.c_str(), 0600), 0);
  ASSERT_TRUE(save_bindings(dir_, one_binding(), WallTime{}).has_value());
  EXPECT_EQ(load_bindings(dir_, WallTime{})->size(), 1u);
}

TEST_F(StateFileTest, TheHashKeyIsMadeOnceAndThenKept) {
  const auto first = open_state_key(dir_);
  const auto second = open_state_key(dir_);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->key(), second->key());
}

TEST_F(StateFileTest, ADirectoryThatCannotBeMadeIsNamed) {
  const auto result = make_state_directory(dir_ + "/missing/deeper");
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("missing/deeper"), std::string::npos);
}

}  // namespace
}  // namespace berth::gateway
