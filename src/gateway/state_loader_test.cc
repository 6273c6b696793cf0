#include "gateway/state_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gateway/identify_request.h"

namespace berth::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

routing::SavedBinding used_ago(const std::string& session, std::chrono::minutes ago) {
  routing::SavedBinding binding;
  binding.key = {"", "m", session, ""};
  binding.replica_label = "gpu0:8000";
  binding.idle = ago;
  return binding;
}

std::vector<std::string> sessions(const std::vector<routing::SavedBinding>& bindings) {
  std::vector<std::string> out;
  for (const routing::SavedBinding& binding : bindings) out.push_back(binding.key.session);
  return out;
}

class StateLoaderTest : public ::testing::Test {
 protected:
  StateLoaderTest() {
    std::string pattern = ::testing::TempDir() + "berth-loader-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~StateLoaderTest() override { std::filesystem::remove_all(dir_); }

  Result<SavedModels> load() {
    StateLoader loader(dir_, hash_, WallTime{});
    while (!loader.done()) std::this_thread::yield();
    return loader.take();
  }

  const KeyedHash hash_ = KeyedHash::random();
  std::string dir_;
};

TEST_F(StateLoaderTest, ReadsWhatWasSavedWithTheHashesItIsShownUnder) {
  const SavedModels all{{"m", {used_ago("s", std::chrono::minutes(1))}}};
  ASSERT_TRUE(save_bindings(dir_, all, WallTime{}).has_value());
  const Result<SavedModels> loaded = load();
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const routing::SavedBinding& one = loaded->at("m").at(0);
  EXPECT_EQ(one.key.session, "s");
  const routing::ConversationHashes shown = conversation_hashes(hash_, one.key);
  EXPECT_EQ(one.hashes.session, shown.session);
  EXPECT_EQ(one.hashes.conversation, shown.conversation);
}

TEST_F(StateLoaderTest, ErrorsAreThoseOfTheFile) {
  EXPECT_EQ(load().error().code, ErrorCode::kNotFound);
  std::ofstream(dir_ + "/bindings.json") << "{";
  EXPECT_EQ(load().error().code, ErrorCode::kIo);
}

TEST_F(StateLoaderTest, PartsGiveTheMostRecentlyUsedOfEachModelFirst) {
  using std::chrono::minutes;
  const SavedModels all{
      {"a", {used_ago("2", minutes(2)), used_ago("1", minutes(1)), used_ago("3", minutes(3))}},
      {"b", {}},
      {"c", {used_ago("4", minutes(4))}}};
  ASSERT_TRUE(save_bindings(dir_, all, WallTime{}).has_value());
  Result<SavedModels> loaded = load();
  ASSERT_TRUE(loaded.has_value());
  const SavedModels first = take_part(*loaded, 2);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(sessions(first.at("a")), ElementsAre("2", "1"));
  EXPECT_THAT(sessions(take_part(*loaded, 2).at("a")), ElementsAre("3"));
  EXPECT_THAT(sessions(take_part(*loaded, 2).at("c")), ElementsAre("4"));
  EXPECT_THAT(take_part(*loaded, 2), IsEmpty());
}

}  // namespace
}  // namespace berth::gateway
