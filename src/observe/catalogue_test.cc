#include "observe/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "observe/access_log.h"

namespace berth::observe {
namespace {

using ::testing::HasSubstr;

std::string read(const std::string& name) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/docs/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string type_name(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return {};
}

// The beginning of the metric's row in docs/metrics.md.
std::string row_of(const MetricSpec& spec) {
  std::string labels;
  for (const auto label : spec.labels) {
    if (!label.empty()) labels += (labels.empty() ? "" : ", ") + std::string(label);
  }
  return "| `" + std::string(spec.name) + "` | " + type_name(spec.type) + " | " +
         std::string(spec.unit) + " | " + labels + (labels.empty() ? "| " : " | ");
}

TEST(Catalogue, NamesAreUniqueAndSayTheirUnit) {
  std::set<std::string_view> names;
  for (const auto* spec : catalogue()) {
    EXPECT_TRUE(names.insert(spec->name).second) << spec->name;
    const std::string suffix = spec->type == MetricType::kCounter ? "_total" : "";
    if (spec->unit == "seconds" || spec->unit == "bytes" || spec->unit == "tokens" ||
        spec->unit == "ratio") {
      EXPECT_TRUE(spec->name.ends_with("_" + std::string(spec->unit) + suffix)) << spec->name;
    }
  }
}

TEST(Catalogue, EveryMetricHasItsRowInTheDocumentation) {
  const std::string page = read("metrics.md");
  for (const auto* spec : catalogue()) EXPECT_THAT(page, HasSubstr(row_of(*spec)));
}

TEST(Catalogue, TheDocumentationNamesNoMetricThatIsNot) {
  std::set<std::string> known;
  for (const auto* spec : catalogue()) {
    known.emplace(spec->name);
    if (spec->type == MetricType::kHistogram) known.insert(std::string(spec->name) + "_bucket");
  }
  for (const std::string& page : {read("metrics.md"), read("access-log.md")}) {
    const std::regex name("berth_[a-z_]*[a-z]");
    for (std::sregex_iterator it(page.begin(), page.end(), name), end; it != end; ++it) {
      EXPECT_TRUE(known.contains(it->str())) << it->str();
    }
  }
}

TEST(Catalogue, EveryFieldOfTheAccessLogIsDocumented) {
  const AccessRecord record;
  const std::string page = read("access-log.md");
  const std::string line = to_json(record);
  const std::regex key("\"([a-z_0-9]+)\":");
  int keys = 0;
  for (std::sregex_iterator it(line.begin(), line.end(), key), end; it != end; ++it, ++keys) {
    EXPECT_THAT(page, HasSubstr("| `" + (*it)[1].str() + "` |"));
  }
  EXPECT_EQ(keys, 24);
}

TEST(Catalogue, MakesChildrenBySpec) {
  Registry registry;
  counter(registry, metric::kRequests, {"qwen", "gpu0:8000#1", "sticky"})->add(2);
  histogram(registry, metric::kTtfb, {"qwen"})->observe(0.38);
  const auto read_gauge = [] { return std::vector<Reading>{{{"qwen", "gpu0:8000#1"}, 3}}; };
  collect(registry, metric::kInFlight, read_gauge);
  const auto read_counter = [] { return std::vector<Reading>{{{}, 7}}; };
  collect(registry, metric::kLogDropped, read_counter);
  const std::string text = registry.text();
  EXPECT_THAT(
      text,
      HasSubstr(
          "berth_requests_total{model=\"qwen\",replica=\"gpu0:8000#1\",outcome=\"sticky\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_bucket{model=\"qwen\",le=\"0.5\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("berth_requests_in_flight{model=\"qwen\",replica=\"gpu0:8000#1\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE berth_access_log_dropped_lines_total counter\n"
                              "berth_access_log_dropped_lines_total 7\n"));
}

using CatalogueDeathTest = ::testing::Test;

TEST(CatalogueDeathTest, AWrongNumberOfLabelValuesIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Registry registry;
  EXPECT_DEATH(counter(registry, metric::kRequests, {"qwen"}), "check");
  EXPECT_DEATH(counter(registry, metric::kErrors, {"a", "b"}), "check");
  EXPECT_DEATH(counter(registry, metric::kInFlight, {"a", "b"}), "check");
}

}  // namespace
}  // namespace berth::observe
