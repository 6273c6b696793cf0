#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "config/keys.h"
#include "config/load.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

Config example(const TempFolder& folder) {
  const std::string file = folder.write("berth.toml", R"(threads = 2
[[server]]
url = "http://gpu0:8000"
data_parallel_size = 4
[[model]]
name = "small"
server = "http://gpu0:8000"
overflow_threshold = "auto"
max_num_seqs = 64
[[model]]
aliases = []
affinity = false
[defaults]
overflow_threshold = 5
[timeouts]
keep_alive_after = "0s"
upstream_pool_idle = "10s"
)");
  auto config = load(file, {{"BERTH_LIMITS_CONNECTIONS", "7"}}, {{{"listen", "9000"}}, {}});
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? *config : Config{};
}

// The line of a key below a heading, with blanks squeezed; the first group has no heading.
std::string line_of(const std::string& text, const std::string& heading, const std::string& key) {
  std::istringstream lines(text.substr(heading.empty() ? 0 : text.find(heading)));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + " ")) return std::regex_replace(line, std::regex(" {2,}"), " | ");
  }
  return {};
}

TEST(Describe, ShowsValueAndSourceOfEachKey) {
  const TempFolder folder;
  const std::string file = folder.path("berth.toml");
  const std::string text = describe(example(folder));
  EXPECT_EQ(line_of(text, "", "listen"), "listen | 127.0.0.1:9000 | --listen");
  EXPECT_EQ(line_of(text, "", "admin"), "admin | 127.0.0.1:9090 | default");
  EXPECT_EQ(line_of(text, "", "threads"), "threads | 2 | " + file + ":1");
  EXPECT_EQ(line_of(text, "", "limits.connections"),
            "limits.connections | 7 | BERTH_LIMITS_CONNECTIONS");
  EXPECT_EQ(line_of(text, "", "timeouts.keep_alive_after"),
            "timeouts.keep_alive_after | 0s (off) | " + file + ":16");
  EXPECT_EQ(line_of(text, "", "defaults.affinity"), "defaults.affinity | true | default");
  EXPECT_EQ(line_of(text, "[[server]] http://gpu0:8000", "data_parallel_size"),
            "data_parallel_size | 4 | " + file + ":4");
  EXPECT_EQ(line_of(text, "[[server]] http://gpu0:8000", "api_key"), "api_key | (none) | default");
}

TEST(Describe, ShowsWhatCountsForAModel) {
  const TempFolder folder;
  const std::string file = folder.path("berth.toml");
  const std::string text = describe(example(folder));
  EXPECT_EQ(line_of(text, "[[model]] small", "overflow_threshold"),
            "overflow_threshold | 16 (auto) | " + file + ":8");
  EXPECT_EQ(line_of(text, "[[model]] small", "affinity"), "affinity | true | default");
  EXPECT_EQ(line_of(text, "[[model]] (any)", "overflow_threshold"),
            "overflow_threshold | 5 | " + file + ":14");
  EXPECT_EQ(line_of(text, "[[model]] (any)", "affinity"), "affinity | false | " + file + ":12");
  EXPECT_EQ(line_of(text, "[[model]] (any)", "replicas"),
            "replicas | (every server that serves it) | default");
}

TEST(Describe, HasEveryKeyAndEndsWithTheWarnings) {
  const TempFolder folder;
  const Config config = example(folder);
  const std::string text = describe(config);
  for (const Key<Config>& key : config_keys()) {
    EXPECT_NE(line_of(text, "", std::string(key.name)), "") << key.name;
  }
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_TRUE(text.ends_with("\nwarning: " + config.warnings[0] +
                             "\nwarning: " + config.warnings[1] + "\n"));
}

TEST(Describe, SourcesStandBelowEachOther) {
  const TempFolder folder;
  std::istringstream lines(describe(example(folder)));
  std::size_t column = 0;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t source = line.rfind("  ") + 2;
    if (column == 0) column = source;
    EXPECT_EQ(source, column) << line;
  }
}

TEST(DescribeJson, HasTheValuesInTheirTypes) {
  const TempFolder folder;
  const Json json = Json::parse(describe_json(example(folder)));
  EXPECT_EQ(json["valid"], true);
  std::map<std::string, Json> settings;
  for (const Json& item : json["settings"]) settings[item["key"]] = item;
  EXPECT_EQ(settings["threads"]["value"], 2);
  EXPECT_EQ(settings["listen"]["value"], "127.0.0.1:9000");
  EXPECT_EQ(settings["listen"]["source"], "--listen");
  EXPECT_EQ(settings["defaults.affinity"]["value"], true);
  EXPECT_EQ(settings["state_dir"]["value"], nullptr);
  EXPECT_THAT(settings["state_dir"]["note"].get<std::string>(), HasSubstr("none"));
  EXPECT_EQ(settings["timeouts.drain"]["value"], "1m");
  EXPECT_EQ(json["servers"][0]["name"], "http://gpu0:8000");
  EXPECT_EQ(json["models"].size(), 2u);
  EXPECT_EQ(json["warnings"].size(), 2u);
}

TEST(DescribeJson, SurvivesBytesThatAreNotUtf8) {
  Config config;
  config.state_dir = "\xff\xfe";
  EXPECT_TRUE(Json::accept(describe_json(config)));
}

}  // namespace
}  // namespace berth::config
