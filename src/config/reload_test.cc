#include "config/reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Config base() {
  Config config;
  Server server;
  server.url = "http://gpu0:8000";
  config.servers.push_back(server);
  return config;
}

TEST(PlanReload, SaysNothingWhenNothingChanged) {
  const ReloadPlan plan = plan_reload(base(), base());
  EXPECT_TRUE(plan.empty());
  EXPECT_FALSE(plan.refused.has_value());
}

TEST(PlanReload, TakesOverWhatItCan) {
  Config loaded = base();
  loaded.timeouts.drain = std::chrono::seconds(30);
  loaded.model_defaults.affinity = false;
  loaded.body_edits = BodyEdits::kOff;
  const ReloadPlan plan = plan_reload(base(), loaded);
  EXPECT_THAT(plan.changes, ElementsAre("body_edits: on -> off", "defaults.affinity: true -> false",
                                        "timeouts.drain: 1m -> 30s"));
  EXPECT_THAT(plan.needs_restart, IsEmpty());
  EXPECT_EQ(plan.next.timeouts.drain, Duration(std::chrono::seconds(30)));
}

TEST(PlanReload, KeepsWhatNeedsARestart) {
  Config running = base();
  running.sources["listen"] = "--listen";
  Config loaded = base();
  loaded.listen = {"127.0.0.1", 9000};
  loaded.threads = 3;
  loaded.sources["listen"] = "berth.toml:1";
  loaded.sources["threads"] = "berth.toml:2";
  const ReloadPlan plan = plan_reload(running, loaded);
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_THAT(
      plan.needs_restart,
      ElementsAre(
          "listen: 127.0.0.1:8080 -> 127.0.0.1:9000 needs a restart; until then 127.0.0.1:8080 "
          "stays in use",
          "threads: 0 -> 3 needs a restart; until then 0 stays in use"));
  EXPECT_EQ(plan.next.listen, running.listen);
  EXPECT_EQ(plan.next.threads, 0u);
  EXPECT_EQ(plan.next.sources.at("listen"), "--listen");
  EXPECT_FALSE(plan.next.sources.contains("threads"));
}

// Every key that needs a restart keeps its value, whatever its type.
TEST(PlanReload, KeepsEveryKeyMarkedSo) {
  Config loaded = base();
  loaded.listen.port = 1;
  loaded.admin.port = 2;
  loaded.state_dir = "/elsewhere";
  loaded.threads = 9;
  loaded.timeouts.scrape_every = std::chrono::seconds(9);
  loaded.timeouts.health_every = std::chrono::seconds(9);
  loaded.timeouts.health_timeout = std::chrono::seconds(9);
  const Config running = base();
  const ReloadPlan plan = plan_reload(running, loaded);
  std::size_t restart_keys = 0;
  for (const Key<Config>& key : config_keys()) {
    if (key.on_change != OnChange::kRestart) continue;
    ++restart_keys;
    EXPECT_FALSE(same_value(slot_of(key, running), slot_of(key, loaded)))
        << key.name << " is not covered";
    EXPECT_TRUE(same_value(slot_of(key, running), slot_of(key, plan.next))) << key.name;
  }
  EXPECT_EQ(plan.needs_restart.size(), restart_keys);
  EXPECT_THAT(plan.changes, IsEmpty());
}

TEST(PlanReload, ComparesListsByTheNamesOfTheirEntries) {
  Config running = base();
  running.client_keys = {{"alice", std::string(64, 'a')}, {"bob", std::string(64, 'b')}};
  Model model;
  model.name = "qwen3-4b";
  running.models.push_back(model);
  Config loaded = base();
  loaded.client_keys = {{"carol", std::string(64, 'c')}, {"alice", std::string(64, 'd')}};
  loaded.servers[0].api_key = Secret{"sk-new"};
  Server added;
  added.url = "http://gpu1:8000";
  loaded.servers.insert(loaded.servers.begin(), added);
  model.aliases = {"gpt-5"};
  model.overflow_threshold = 4;
  loaded.models.push_back(model);
  EXPECT_THAT(
      plan_reload(running, loaded).changes,
      ElementsAre("server http://gpu1:8000: added",
                  "server http://gpu0:8000: api_key: (none) -> (set)",
                  "model qwen3-4b: aliases: (none) -> gpt-5",
                  "model qwen3-4b: overflow_threshold: (none) -> 4", "client_key carol: added",
                  "client_key alice: key: changed", "client_key bob: removed"));
}

TEST(PlanReload, NeverShowsASecret) {
  Config running = base();
  running.servers[0].api_key = Secret{"sk-old"};
  Config loaded = base();
  loaded.servers[0].api_key = Secret{"sk-new"};
  EXPECT_THAT(plan_reload(running, loaded).changes,
              ElementsAre("server http://gpu0:8000: api_key: changed"));
}

// The new file is safe for the address it names, but that address needs a restart.
TEST(PlanReload, RefusesToOpenTheListenerThatStays) {
  Config running = base();
  running.listen = {"0.0.0.0", 8080};
  running.client_keys = {{"alice", std::string(64, 'a')}};
  const Config loaded = base();
  const ReloadPlan plan = plan_reload(running, loaded);
  ASSERT_TRUE(plan.refused.has_value());
  EXPECT_THAT(*plan.refused,
              testing::StartsWith("listen: 0.0.0.0:8080 can be reached from other machines"));
}

TEST(PlanReload, RefusesToTakeTheTokenFromAnAdminAddressThatStays) {
  Config running = base();
  running.admin = {"0.0.0.0", 9090};
  running.admin_token_file = "token";
  const ReloadPlan plan = plan_reload(running, base());
  ASSERT_TRUE(plan.refused.has_value());
  EXPECT_THAT(*plan.refused, testing::StartsWith("admin: 0.0.0.0:9090"));
}

}  // namespace
}  // namespace berth::config
