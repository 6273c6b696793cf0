#include "fleet/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace berth::fleet {
namespace {

using ::testing::ElementsAre;

struct Seen {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct Page {
  std::vector<Seen> samples;
  PromCounts counts;
};

Page read(std::string_view text) {
  Page page;
  const auto all = [](std::string_view) { return true; };
  page.counts = read_prometheus(text, all, [&page](const PromSample& sample) {
    Seen seen{std::string(sample.name), {}, sample.value};
    for (const auto& label : sample.labels)
      seen.labels.emplace_back(std::string(label.name), label.value);
    page.samples.push_back(std::move(seen));
  });
  return page;
}

TEST(PrometheusText, ReadsNamesLabelsAndValues) {
  const auto page = read(
      "# HELP up Is it up.\n"
      "# TYPE up gauge\n"
      "up 1\n"
      "vllm:num_requests_running{engine=\"0\",model_name=\"Qwen/Qwen3-4B\"} 3.0\n");
  ASSERT_EQ(page.samples.size(), 2u);
  EXPECT_EQ(page.samples[0].name, "up");
  EXPECT_EQ(page.samples[0].value, 1);
  EXPECT_EQ(page.samples[1].name, "vllm:num_requests_running");
  EXPECT_THAT(page.samples[1].labels,
              ElementsAre(std::pair("engine", "0"), std::pair("model_name", "Qwen/Qwen3-4B")));
  EXPECT_EQ(page.samples[1].value, 3);
  EXPECT_EQ(page.counts.bad_lines, 0u);
}

TEST(PrometheusText, UnescapesLabelValues) {
  const auto page =
      read(R"(m{a="q\"uote",b="back\\slash",c="new\nline",d="\x stays",e="} , {#"} 1)");
  ASSERT_EQ(page.samples.size(), 1u);
  const auto& labels = page.samples[0].labels;
  EXPECT_EQ(labels[0].second, "q\"uote");
  EXPECT_EQ(labels[1].second, "back\\slash");
  EXPECT_EQ(labels[2].second, "new\nline");
  EXPECT_EQ(labels[3].second, "\\x stays");
  EXPECT_EQ(labels[4].second, "} , {#");
}

TEST(PrometheusText, ReadsEverySpellingOfANumber) {
  const auto page =
      read("a 1e3\nb -2.5E-1\nc +Inf\nd -Inf\ne NaN\nf +7\ng 9.007199254740992e+15\nh inf\n");
  ASSERT_EQ(page.samples.size(), 8u);
  EXPECT_EQ(page.samples[0].value, 1000);
  EXPECT_EQ(page.samples[1].value, -0.25);
  EXPECT_EQ(page.samples[2].value, INFINITY);
  EXPECT_EQ(page.samples[3].value, -INFINITY);
  EXPECT_TRUE(std::isnan(page.samples[4].value));
  EXPECT_EQ(page.samples[5].value, 7);
  EXPECT_EQ(page.samples[6].value, 9007199254740992.0);
  EXPECT_EQ(page.samples[7].value, INFINITY);
}

TEST(PrometheusText, IgnoresTimestampsExemplarsAndSpace) {
  const auto page = read(
      "a 1 1700000000000\n"
      "  b\t{ x = \"1\" , y=\"2\", }   2   1700000000000  \n"
      "c{} 3 # {trace_id=\"abc\"} 0.5\n"
      "\n   \n"
      "d 4\r\n"
      "# EOF");
  ASSERT_EQ(page.samples.size(), 4u);
  EXPECT_EQ(page.samples[1].labels.size(), 2u);
  EXPECT_EQ(page.samples[1].value, 2);
  EXPECT_EQ(page.samples[2].value, 3);
  EXPECT_EQ(page.samples[3].value, 4);
  EXPECT_EQ(page.counts.bad_lines, 0u);
}

TEST(PrometheusText, ALineItCannotReadIsCountedAndTheRestRead) {
  for (const std::string_view bad :
       {"m", "m{", "m{a", "m{a=", "m{a=\"", "m{a=\"x", "m{a=\"x\"", "m{a=\"x\" b=\"y\"} 1",
        "m{a=x} 1", "m{,} 1", "m{a=\"x\"}", "m one", "m 1x", "m 0x10", "m --1", "{\"utf8.name\"} 1",
        "<html>", "m{a=\"x\\", "= 1"}) {
    const auto page = read("before 1\n" + std::string(bad) + "\nafter 2\n");
    ASSERT_EQ(page.samples.size(), 2u) << bad;
    EXPECT_EQ(page.samples[1].name, "after") << bad;
    EXPECT_EQ(page.counts.bad_lines, 1u) << bad;
    EXPECT_EQ(page.counts.samples, 2u) << bad;
  }
}

TEST(PrometheusText, OnlyWantedNamesAreTakenApart) {
  std::vector<std::string> seen;
  const auto counts = read_prometheus(
      "a 1\nb{broken 2\nc 3\n", [](std::string_view name) { return name == "c"; },
      [&seen](const PromSample& sample) { seen.emplace_back(sample.name); });
  EXPECT_THAT(seen, ElementsAre("c"));
  EXPECT_EQ(counts.bad_lines, 0u);
}

TEST(PrometheusText, IsBounded) {
  std::string many = "m{";
  for (int i = 0; i < 129; ++i) many += "l" + std::to_string(i) + "=\"x\",";
  EXPECT_EQ(read(many + "} 1").counts.bad_lines, 1u);
  EXPECT_EQ(read("m{a=\"" + std::string(65 * 1024, 'x') + "\"} 1").counts.bad_lines, 1u);
  EXPECT_EQ(read("m{a=\"" + std::string(60 * 1024, 'x') + "\"} 1").counts.samples, 1u);
}

TEST(PrometheusText, FindsLabelsByName) {
  std::optional<std::string> engine;
  std::optional<std::string_view> none = "something";
  read_prometheus(
      "m{model_name=\"q\",engine=\"3\"} 1", [](std::string_view) { return true; },
      [&](const PromSample& sample) {
        engine = std::string(sample.label("engine").value_or("?"));
        none = sample.label("rank");
      });
  EXPECT_EQ(engine, "3");
  EXPECT_FALSE(none);
}

// Every prefix of a page, and every page with one byte changed, is read without harm.
TEST(PrometheusText, SurvivesDamage) {
  const std::string text = "a{x=\"\\\"1\\\\\",y=\"2\"} 1e5 17\n# c\nb{} +Inf\nc NaN\n";
  for (std::size_t n = 0; n <= text.size(); ++n) read(std::string_view(text).substr(0, n));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '"', '\\', '{', '}', ',', '=', '\n', ' ', '\xFF'}) {
      std::string damaged = text;
      damaged[i] = c;
      const auto page = read(damaged);
      EXPECT_LE(page.counts.samples + page.counts.bad_lines, 6u);
    }
  }
}

}  // namespace
}  // namespace berth::fleet
