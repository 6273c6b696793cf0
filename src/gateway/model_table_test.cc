#include "gateway/model_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "observe/log.h"
#include "observe/log_sink.h"

namespace berth::gateway {
namespace {

config::Model entry(const std::string& name, std::vector<std::string> servers = {}) {
  config::Model out;
  out.name = name;
  out.servers = std::move(servers);
  return out;
}

fleet::ServedModel served(const std::string& name, std::vector<std::string> aliases = {},
                          std::vector<std::string> adapters = {}) {
  fleet::ServedModel out;
  out.name = name;
  out.aliases = std::move(aliases);
  out.adapters = std::move(adapters);
  return out;
}

std::string url_of(std::uint32_t server) { return "http://gpu" + std::to_string(server); }

class ModelTableTest : public ::testing::Test {
 protected:
  ModelTableTest() { observe::set_log_level(observe::LogLevel::kOff); }

  void configure(std::vector<config::Model> models) {
    config::Config config;
    config.models = std::move(models);
    table_.configure(config, clock_.now());
  }
  void discover(std::uint32_t index, const std::vector<fleet::ServedModel>& models) {
    auto server = std::make_shared<UpstreamServer>();
    server->index = index;
    server->label = "gpu" + std::to_string(index);
    table_.on_discovered(server, url_of(index), models, clock_.now());
  }
  // The entry a name leads to, "-" where it is unknown, in brackets where no server stands behind.
  std::string entry_of(const std::string& name) const {
    const auto resolved = table_.resolve(name);
    if (!resolved) return "-";
    EXPECT_TRUE(resolved->upstream_name == name) << resolved->upstream_name;
    const auto replicas = resolved->model->status(clock_.now()).replicas;
    const bool here = std::any_of(replicas.begin(), replicas.end(),
                                  [](const auto& replica) { return !replica.routing.removed; });
    return here ? resolved->model->name() : "(" + resolved->model->name() + ")";
  }
  observe::ModelStatus status_of(const std::string& name) const {
    return table_.resolve(name)->model->status(clock_.now());
  }

  ManualClock clock_;
  ModelTable table_{config::Config{}, 1, clock_.now()};
};

TEST_F(ModelTableTest, AnEntryMayNameAnyNameOfItsModel) {
  configure({entry("qwen3"), entry("sql")});
  discover(0, {served("qwen", {"qwen3"})});
  discover(1, {served("base", {}, {"sql"})});
  EXPECT_EQ(entry_of("qwen3"), "qwen3");
  EXPECT_EQ(entry_of("qwen"), "qwen3");
  EXPECT_EQ(entry_of("sql"), "sql");
  EXPECT_EQ(entry_of("base"), "sql");
}

TEST_F(ModelTableTest, AnEntryMayNameTheSecondModelOfAServer) {
  configure({entry("second")});
  discover(0, {served("first"), served("second")});
  EXPECT_EQ(entry_of("second"), "second");
  EXPECT_EQ(entry_of("first"), "-");
}

TEST_F(ModelTableTest, OfTwoEntriesTheOneThatNamesTheModelAsItsMetricsDoHasIt) {
  configure({entry("sql"), entry("qwen3"), entry("qwen")});
  discover(0, {served("qwen", {"qwen3"}, {"sql"})});
  for (const std::string name : {"qwen", "qwen3", "sql"}) EXPECT_EQ(entry_of(name), "qwen") << name;
}

TEST_F(ModelTableTest, EntriesMayDivideTheServersOfOneModel) {
  configure({entry("qwen", {url_of(0)}), entry("qwen3", {url_of(1)})});
  for (std::uint32_t i = 0; i < 3; ++i) discover(i, {served("qwen", {"qwen3"})});
  EXPECT_EQ(status_of("qwen").replicas.at(0).routing.spec.label, "gpu0");
  EXPECT_EQ(status_of("qwen").replicas.size(), 1u);
  EXPECT_EQ(status_of("qwen3").replicas.at(0).routing.spec.label, "gpu1");
  EXPECT_EQ(status_of("qwen3").replicas.size(), 1u);
}

TEST_F(ModelTableTest, TheNamelessEntryTakesWhatNoOtherNames) {
  configure({entry("qwen3"), entry("")});
  discover(0, {served("qwen", {"qwen3"})});
  discover(1, {served("llama")});
  EXPECT_EQ(entry_of("qwen3"), "qwen3");
  EXPECT_EQ(entry_of("llama"), "llama");
  configure({entry("qwen3")});
  EXPECT_EQ(entry_of("llama"), "(llama)") << "its conversations end, then it is forgotten";
  table_.tick(clock_.now());
  EXPECT_EQ(entry_of("llama"), "-");
}

TEST_F(ModelTableTest, AnEntryWithoutAServerIsToldOnceUntilOneComes) {
  configure({entry("qwen"), entry("qwen3"), entry("gone")});
  discover(0, {served("qwen", {"qwen3"})});
  const std::vector<std::string> told = table_.newly_unserved();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0],
            "[[model]] \"gone\": no server that answers lists that name and may be used for it");
  EXPECT_EQ(told[1],
            "[[model]] \"qwen3\" names another name of \"qwen\", whose entry has its servers: its "
            "settings are not used");
  EXPECT_EQ(table_.newly_unserved().size(), 0u);
  discover(1, {served("gone")});
  EXPECT_EQ(table_.newly_unserved().size(), 0u);
  table_.remove_server(1, clock_.now());
  EXPECT_EQ(table_.newly_unserved().size(), 1u);
}

TEST_F(ModelTableTest, ANameThatSomeServersLackIsForTheOthers) {
  discover(0, {served("base", {}, {"sql"})});
  EXPECT_EQ(table_.resolve("sql")->servers, nullptr) << "every server has it";
  discover(1, {served("base")});
  discover(2, {served("base", {}, {"sql", "law"})});
  EXPECT_EQ(*table_.resolve("sql")->servers, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(*table_.resolve("law")->servers, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(table_.resolve("base")->servers, nullptr);
  discover(2, {served("base")});
  EXPECT_EQ(*table_.resolve("sql")->servers, (std::vector<std::uint32_t>{0}));
  EXPECT_FALSE(table_.resolve("law"));
}

TEST_F(ModelTableTest, FiguresOfOneModelAreNotThoseOfAnotherOnTheSameServer) {
  configure({entry("a"), entry("b")});
  discover(0, {served("a"), served("b")});
  fleet::RankScrape of_a;
  of_a.model = "a";
  of_a.running = 3;
  fleet::RankScrape of_b;
  of_b.model = "b";
  of_b.running = 5;
  table_.on_scrape(0, {of_a, of_b}, clock_.now());
  EXPECT_EQ(status_of("a").replicas.at(0).routing.stats.running, 3u);
  EXPECT_EQ(status_of("b").replicas.at(0).routing.stats.running, 5u);
}

// What the table says of models that no entry takes, and whether requests could go on meanwhile.
class ModelTableSays : public ModelTableTest {
 protected:
  ModelTableSays() {
    observe::set_log_level(observe::LogLevel::kWarning);
    observe::set_log_outlet([this](std::string line) { on_line(std::move(line)); });
  }
  ~ModelTableSays() override { observe::set_log_outlet({}); }

  void on_line(std::string line) {
    lines_.push_back(std::move(line));
    look_ups_.push_back(std::async(std::launch::async, [this] { table_.resolve("any"); }));
    if (look_ups_.back().wait_for(std::chrono::seconds(10)) != std::future_status::ready)
      ADD_FAILURE() << "requests wait for the log";
  }

  std::vector<std::string> lines_;
  std::vector<std::future<void>> look_ups_;
};

TEST_F(ModelTableSays, WhatNoEntryTakesWithoutHoldingUpRequests) {
  configure({entry("qwen3")});
  discover(0, {served("qwen3"), served("other")});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("serves \"other\", which no [[model]] names"), std::string::npos);
  configure({entry("third")});
  EXPECT_EQ(lines_.size(), 2u) << "qwen3 is without an entry now";
}

// What it remembers of a server is of the last discovery only: a server that offers new names every
// time must not fill the memory.
TEST_F(ModelTableSays, AModelWithoutAnEntryOnceUntilItIsGone) {
  configure({entry("qwen3")});
  discover(0, {served("a")});
  discover(0, {served("a")});
  EXPECT_EQ(lines_.size(), 1u);
  discover(0, {served("b")});
  EXPECT_EQ(lines_.size(), 2u);
  discover(0, {served("a")});
  EXPECT_EQ(lines_.size(), 3u);
}

}  // namespace
}  // namespace berth::gateway
