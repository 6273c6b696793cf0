#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

constexpr const char* kOneServer = "[[server]]\nurl = \"http://gpu0:8000\"\n";

Config must_load(const std::optional<std::string>& file, const Variables& variables = {},
                 const Overrides& overrides = {}) {
  auto config = load(file, variables, overrides);
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? *config : Config{};
}

std::string error_of(const Variables& variables, const Overrides& overrides = {}) {
  const auto config = load(std::nullopt, variables, overrides);
  return config ? "accepted" : config.error().message;
}

TEST(Load, NeedsNoFileWhenServersAreNamed) {
  const Config config =
      must_load(std::nullopt, {}, {{}, {"http://gpu0:8000", "http://GPU1:8000/"}});
  ASSERT_EQ(config.servers.size(), 2u);
  EXPECT_EQ(config.servers[0].url, "http://gpu0:8000");
  EXPECT_EQ(config.servers[1].url, "http://gpu1:8000");
  EXPECT_TRUE(config.models.empty());
  EXPECT_EQ(config.listen, (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(config.sources.at("server[http://gpu0:8000].url"), "command line");
  EXPECT_FALSE(config.sources.contains("listen"));
}

TEST(Load, ThePolicysNameInTheSimulatorIsUnderstood) {
  const auto with = [](const char* name) {
    return error_of({{"BERTH_SERVERS", "http://gpu0:8000"}}, {{{"defaults.policy", name}}, {}});
  };
  EXPECT_NE(with("on").find("did you mean \"sticky\""), std::string::npos) << with("on");
  EXPECT_NE(with("off").find("did you mean affinity = false"), std::string::npos) << with("off");
}

TEST(Load, TheLifeOfBindingsAndThePoolAreBounded) {
  const auto with = [](const char* key, const char* value) {
    return error_of({{"BERTH_SERVERS", "http://gpu0:8000"}}, {{{key, value}}, {}});
  };
  EXPECT_EQ(with("routing.binding_ttl", "30m"), "accepted");
  EXPECT_NE(with("routing.binding_ttl", "59s"), "accepted");
  EXPECT_NE(with("routing.binding_ttl", "8d"), "accepted");
  EXPECT_EQ(with("limits.upstream_idle_connections", "8"), "accepted");
  EXPECT_NE(with("limits.upstream_idle_connections", "0"), "accepted");
}

TEST(Load, TakesValuesFromTheFile) {
  const TempFolder folder;
  folder.write("up.key", "sk-upstream-0123456789\n", 0600);
  const std::string file = folder.write("berth.toml", R"(
listen = "127.0.0.1:8081"
[[model]]
name = "qwen3-4b"
aliases = ["claude-sonnet-4-5", "gpt-5"]
replicas = ["gpu0", "http://gpu1:8000"]
affinity = false
overflow_threshold = "auto"
[[server]]
name = "gpu0"
url = "http://gpu0:8000"
data_parallel_size = 4
api_key_file = "up.key"
[defaults]
overflow_threshold = 5
policy = "least-loaded"
[timeouts]
drain = "1m30s"
[limits]
body_bytes = "1MiB"
[identity]
order = ["content", "claude-code"]
headers = ["X-My-Session"]
)");
  const Config config = must_load(file);
  EXPECT_EQ(config.listen, (Address{"127.0.0.1", 8081}));
  ASSERT_EQ(config.servers.size(), 2u);
  EXPECT_EQ(config.servers[0].data_parallel_size, 4u);
  EXPECT_EQ(config.servers[0].api_key->value, "sk-upstream-0123456789");
  EXPECT_EQ(config.servers[1].url, "http://gpu1:8000");
  EXPECT_FALSE(config.servers[1].api_key.has_value());
  ASSERT_EQ(config.models.size(), 1u);
  EXPECT_THAT(config.models[0].servers,
              testing::ElementsAre("http://gpu0:8000", "http://gpu1:8000"));
  EXPECT_THAT(config.models[0].aliases, testing::ElementsAre("claude-sonnet-4-5", "gpt-5"));
  EXPECT_EQ(config.models[0].affinity, false);
  EXPECT_TRUE(config.models[0].overflow_auto);
  EXPECT_EQ(config.model_defaults.overflow_threshold, 5u);
  EXPECT_EQ(config.model_defaults.policy, "least-loaded");
  EXPECT_EQ(config.timeouts.drain, Duration(std::chrono::seconds(90)));
  EXPECT_EQ(config.limits.body_bytes, 1u << 20);
  EXPECT_THAT(config.identity_order, testing::ElementsAre("content", "claude-code"));
  EXPECT_THAT(config.identity_headers, testing::ElementsAre("x-my-session"));
  EXPECT_EQ(config.sources.at("listen"), file + ":2");
  EXPECT_EQ(config.sources.at("server[http://gpu0:8000].api_key"), file + ":13");
  EXPECT_EQ(config.sources.at("model[qwen3-4b].affinity"), file + ":7");
  EXPECT_EQ(config.sources.at("server[http://gpu1:8000].url"), file + ":6");
}

TEST(Load, LaterLayersWin) {
  const TempFolder folder;
  const std::string file = folder.write("berth.toml", std::string("listen = \"127.0.0.1:1000\"\n"
                                                                  "admin = \"127.0.0.1:1001\"\n"
                                                                  "threads = 1\n") +
                                                          kOneServer);
  const Config config = must_load(file, {{"BERTH_ADMIN", "127.0.0.1:2001"}, {"BERTH_THREADS", "2"}},
                                  {{{"threads", "3"}}, {}});
  EXPECT_EQ(config.listen.port, 1000);
  EXPECT_EQ(config.admin.port, 2001);
  EXPECT_EQ(config.threads, 3u);
  EXPECT_EQ(config.sources.at("listen"), file + ":1");
  EXPECT_EQ(config.sources.at("admin"), "BERTH_ADMIN");
  EXPECT_EQ(config.sources.at("threads"), "--threads");
}

TEST(Load, UrlsOfTheCommandLineReplaceTheServersButKeepTheirSettings) {
  const TempFolder folder;
  const std::string file =
      folder.write("berth.toml", std::string(kOneServer) +
                                     "data_parallel_size = 4\n[[server]]\nurl = \"http://gpu1\"\n");
  const Config config = must_load(file, {}, {{}, {"http://gpu2:8000", "http://gpu0:8000"}});
  ASSERT_EQ(config.servers.size(), 2u);
  EXPECT_EQ(config.servers[0].url, "http://gpu2:8000");
  EXPECT_EQ(config.servers[1].data_parallel_size, 4u);
}

TEST(Load, RefusesUrlsThatLeaveAModelWithoutItsReplicas) {
  const TempFolder folder;
  const std::string file =
      folder.write("berth.toml", "[[model]]\nname = \"a\"\nserver = \"http://gpu0:8000\"\n");
  const auto config = load(file, {}, {{}, {"http://gpu1:8000"}});
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message,
            file +
                ":3:10: model.replicas: http://gpu0:8000 is not among the servers "
                "named by command line");
}

TEST(Load, ServersMayComeFromTheEnvironment) {
  const TempFolder folder;
  const std::string file = folder.write("berth.toml", kOneServer);
  const Variables variables = {{"BERTH_SERVERS", "http://gpu1:8000, http://gpu2:8000"}};
  const Config from_variable = must_load(file, variables);
  ASSERT_EQ(from_variable.servers.size(), 2u);
  EXPECT_EQ(from_variable.servers[1].url, "http://gpu2:8000");
  EXPECT_EQ(from_variable.sources.at("server[http://gpu1:8000].url"), "BERTH_SERVERS");
  const Config from_both = must_load(file, variables, {{}, {"http://gpu3:8000"}});
  ASSERT_EQ(from_both.servers.size(), 1u);
  EXPECT_EQ(from_both.servers[0].url, "http://gpu3:8000");
}

// Every key of the top level and the sections can be set by its variable; the names follow from the
// keys.
TEST(Load, EveryKeyHasAVariable) {
  for (const Key<Config>& key : config_keys()) {
    const auto config =
        load(std::nullopt, {{variable_name(key.name), "?"}}, {{}, {"http://gpu0:8000"}});
    if (config) {
      EXPECT_TRUE(config->sources.contains(std::string(key.name))) << key.name;
    } else {
      EXPECT_THAT(config.error().message, testing::Not(HasSubstr("unknown variable"))) << key.name;
    }
  }
}

TEST(Load, AdminHostsAreNamesWithoutPort) {
  const TempFolder folder;
  const std::string line = "admin_hosts = [\"Berth.Example\", \"10.0.0.7\", \"fd00::7\"]\n";
  EXPECT_THAT(must_load(folder.write("berth.toml", line + kOneServer)).admin_hosts,
              testing::ElementsAre("berth.example", "10.0.0.7", "fd00::7"));
  EXPECT_THAT(
      must_load(folder.write("berth.toml", kOneServer), {{"BERTH_ADMIN_HOSTS", "a,b"}}).admin_hosts,
      testing::ElementsAre("a", "b"));
  for (const std::string bad :
       {"", "berth:9090", "http://berth", "[fd00::7]", "a b", "*", "a/b", "fd00::7::"}) {
    const auto config =
        load(folder.write("berth.toml", "admin_hosts = [\"" + bad + "\"]\n" + kOneServer), {}, {});
    ASSERT_FALSE(config) << bad;
    EXPECT_THAT(config.error().message, HasSubstr("is not the name of a host"));
  }
}

TEST(Load, TheLogLevelIsOneOfItsNames) {
  const TempFolder folder;
  const std::string file =
      folder.write("berth.toml", "log_level = \"warning\"\n" + std::string(kOneServer));
  EXPECT_EQ(must_load(file).log_level, "warning");
  EXPECT_EQ(must_load(file, {}, {{{"log_level", "off"}}, {}}).log_level, "off");
  const auto bad = load(file, {{"BERTH_LOG_LEVEL", "warn"}}, {});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("did you mean \"warning\""));
}

TEST(Load, SaysWhenTheFileCannotBeRead) {
  const TempFolder folder;
  const std::string path = folder.path("none.toml");
  EXPECT_EQ(load(path, {}, {}).error().message,
            path + ": cannot be read: No such file or directory");
  EXPECT_THAT(load(folder.path(""), {}, {}).error().message, HasSubstr("it is a folder"));
}

TEST(Load, ReadsTheFileThatTheEnvironmentNames) {
  const TempFolder folder;
  const std::string file = folder.write("berth.toml", kOneServer);
  EXPECT_EQ(must_load(std::nullopt, {{"BERTH_CONFIG", file}}).servers.size(), 1u);
}

TEST(Load, NamesTheVariableOrFlagOfABadValue) {
  const Overrides one{{}, {"http://gpu0:8000"}};
  EXPECT_THAT(error_of({{"BERTH_TIMEOUTS_DRAIN", "60"}}, one),
              HasSubstr("BERTH_TIMEOUTS_DRAIN: expected a duration"));
  EXPECT_THAT(error_of({{"BERTH_AFFINITY", "maybe"}}, one),
              HasSubstr("BERTH_AFFINITY: expected true or false, found the text \"maybe\""));
  EXPECT_EQ(error_of({}, {{{"listen", "nowhere"}}, {"http://gpu0:8000"}}),
            "--listen: expected HOST:PORT such as \"127.0.0.1:8080\", found \"nowhere\"");
  EXPECT_THAT(error_of({}, {{{"defaults.policy", "stick"}}, {"http://gpu0:8000"}}),
              HasSubstr("--policy: \"stick\" is not one of"));
  EXPECT_THAT(error_of({}, {{}, {"gpu0:8000"}}),
              HasSubstr("command line: server URL: expected a URL"));
  EXPECT_THAT(error_of({}, {{}, {"http://a", "http://a/"}}), HasSubstr("http://a is named twice"));
}

TEST(Load, ReadsFlagsAsPeopleTypeThem) {
  const Config config = must_load(std::nullopt, {{"BERTH_IDENTITY_ORDER", "content, claude-code"}},
                                  {{{"defaults.affinity", "off"},
                                    {"defaults.overflow_threshold", "12"},
                                    {"defaults.max_num_seqs", "64"},
                                    {"listen", "9000"}},
                                   {"http://gpu0:8000"}});
  EXPECT_EQ(config.model_defaults.affinity, false);
  EXPECT_EQ(config.model_defaults.overflow_threshold, 12u);
  EXPECT_EQ(config.model_defaults.max_num_seqs, 64u);
  EXPECT_EQ(config.listen, (Address{"127.0.0.1", 9000}));
  EXPECT_THAT(config.identity_order, testing::ElementsAre("content", "claude-code"));
}

TEST(Load, RefusesUnknownVariables) {
  const Overrides one{{}, {"http://gpu0:8000"}};
  EXPECT_EQ(error_of({{"BERTH_LISTN", "1"}}, one),
            "BERTH_LISTN: unknown variable; did you mean \"BERTH_LISTEN\"?");
  EXPECT_EQ(error_of({{"BERTH_DEFAULTS_AFFINITY", "on"}}, one),
            "BERTH_DEFAULTS_AFFINITY: unknown variable; did you mean \"BERTH_AFFINITY\"?");
  EXPECT_EQ(error_of({{"BERTH_PORT", "8080"}}, one),
            "BERTH_PORT: unknown variable; did you mean \"BERTH_LISTEN\"?");
}

TEST(Load, IgnoresVariablesThatAreNotForIt) {
  must_load(std::nullopt,
            {{"BERTH_TEST_ANYTHING", "1"},
             {"BERTH_ADMIN_URL", "http://127.0.0.1:9090"},
             {"BERTH_SERVICE_HOST", "10.0.0.1"},
             {"BERTH_SERVICE_PORT_HTTP", "80"},
             {"BERTH_PORT", "tcp://10.0.0.1:80"},
             {"BERTH_PORT_80_TCP_ADDR", "10.0.0.1"},
             {"BERTH_ADMIN_PORT", "tcp://10.0.0.1:80"},
             {"BERTH_LISTEN", ""}},
            {{}, {"http://gpu0:8000"}});
}

}  // namespace
}  // namespace berth::config
