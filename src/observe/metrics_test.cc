#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace berth::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registry, CounterIsExposedWithHelpTypeAndLabels) {
  Registry registry;
  registry.counter("berth_requests_total", "Requests.", {{"model", "qwen"}, {"outcome", "sticky"}})
      ->add(3);
  EXPECT_EQ(registry.text(),
            "# HELP berth_requests_total Requests.\n"
            "# TYPE berth_requests_total counter\n"
            "berth_requests_total{model=\"qwen\",outcome=\"sticky\"} 3\n");
}

TEST(Registry, TheSameLabelsAreTheSameChild) {
  Registry registry;
  const auto a = registry.counter("berth_x_total", "X.", {{"model", "a"}});
  const auto b = registry.counter("berth_x_total", "X.", {{"model", "b"}});
  EXPECT_EQ(a, registry.counter("berth_x_total", "X.", {{"model", "a"}}));
  EXPECT_NE(a, b);
}

TEST(Registry, WhatIsForgottenIsNotShownAndMayStillBeUpdated) {
  Registry registry;
  const auto a = registry.counter("berth_x_total", "X.", {{"model", "a"}});
  registry.counter("berth_x_total", "X.", {{"model", "b"}})->add(2);
  registry.histogram("berth_y_seconds", "Y.", {{"model", "a"}}, {1});
  registry.forget([](const Labels& labels) { return labels.at(0).second == "a"; });
  a->add();
  EXPECT_EQ(
      registry.text(),
      "# HELP berth_x_total X.\n# TYPE berth_x_total counter\nberth_x_total{model=\"b\"} 2\n");
  EXPECT_EQ(registry.counter("berth_x_total", "X.", {{"model", "a"}})->value(), 0u);
}

TEST(Registry, LabelValuesAreEscapedAndMadeValid) {
  Registry registry;
  registry.counter("berth_x_total", "X.", {{"model", "a\"b\\c\nd\xFF"}});
  EXPECT_THAT(registry.text(), HasSubstr("{model=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\"} 0\n"));
}

TEST(Registry, ReadersAreCalledAtEachScrape) {
  Registry registry;
  double value = 1;
  const auto read = [&value] {
    return std::vector<Registry::Sample>{{{{"server", "gpu0"}}, value}};
  };
  registry.collect("berth_scrape_age_seconds", "Age.", Registry::Kind::kGauge, read);
  EXPECT_THAT(registry.text(), HasSubstr("# TYPE berth_scrape_age_seconds gauge\n"
                                         "berth_scrape_age_seconds{server=\"gpu0\"} 1\n"));
  value = 2.5;
  EXPECT_THAT(registry.text(), HasSubstr("berth_scrape_age_seconds{server=\"gpu0\"} 2.5\n"));
}

TEST(Registry, ReadersAddUpAndASecondSampleOfTheSameLabelsIsLeftOut) {
  Registry registry;
  const auto read = [](std::string model, double value) {
    return [=] { return std::vector<Registry::Sample>{{{{"model", model}}, value}}; };
  };
  registry.collect("berth_bindings", "B.", Registry::Kind::kGauge, read("a", 1));
  registry.collect("berth_bindings", "B.", Registry::Kind::kGauge, read("b", 2));
  registry.collect("berth_bindings", "B.", Registry::Kind::kGauge, read("a", 3));
  EXPECT_THAT(registry.text(),
              HasSubstr("berth_bindings{model=\"a\"} 1\nberth_bindings{model=\"b\"} 2\n"));
  EXPECT_THAT(registry.text(), Not(HasSubstr("} 3")));
}

TEST(Registry, AReaderMayUseTheRegistry) {
  Registry registry;
  const auto read = [&registry] {
    registry.counter("berth_reads_total", "Reads.", {})->add();
    return std::vector<Registry::Sample>{};
  };
  registry.collect("berth_reader", "R.", Registry::Kind::kGauge, read);
  registry.text();
  EXPECT_THAT(registry.text(), HasSubstr("berth_reads_total 2\n"));
}

TEST(Registry, AFamilyWithoutSamplesIsNotExposed) {
  Registry registry;
  registry.collect("berth_x", "X.", Registry::Kind::kGauge,
                   [] { return std::vector<Registry::Sample>{}; });
  EXPECT_EQ(registry.text(), "");
}

TEST(Histogram, BucketsAreInclusiveAboveAndCumulative) {
  Histogram histogram({0.1, 1, 10});
  for (const double v : {0.05, 0.1, 0.5, 10.0, 11.0}) histogram.observe(v);
  EXPECT_THAT(histogram.cumulative(), ElementsAre(2, 3, 4, 5));
  EXPECT_NEAR(histogram.sum(), 21.65, 1e-9);
}

TEST(Histogram, OddValuesDoNoHarm) {
  Histogram histogram({1});
  histogram.observe(-3);
  histogram.observe(std::nan(""));
  histogram.observe(INFINITY);
  EXPECT_THAT(histogram.cumulative(), ElementsAre(1, 2));
  EXPECT_TRUE(std::isfinite(histogram.sum()));
}

TEST(Histogram, IsExposedWithBucketsCountAndSum) {
  Registry registry;
  registry.histogram("berth_ttfb_seconds", "T.", {{"model", "q"}}, {0.5, 2})->observe(1);
  const std::string text = registry.text();
  EXPECT_THAT(text, HasSubstr("# TYPE berth_ttfb_seconds histogram\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_bucket{model=\"q\",le=\"0.5\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_bucket{model=\"q\",le=\"2\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_bucket{model=\"q\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_count{model=\"q\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_ttfb_seconds_sum{model=\"q\"} 1\n"));
}

TEST(Registry, ManyThreadsMayCountWhileOneReads) {
  Registry registry;
  const auto counter = registry.counter("berth_x_total", "X.", {});
  const auto histogram = registry.histogram("berth_y_seconds", "Y.", {}, {1});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        counter->add();
        histogram->observe(0.5);
      }
    });
  }
  for (int i = 0; i < 20; ++i) registry.text();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter->value(), 4000u);
  EXPECT_THAT(histogram->cumulative(), ElementsAre(4000, 4000));
}

using RegistryDeathTest = ::testing::Test;

TEST(RegistryDeathTest, NamesThatPrometheusWouldDislikeAreBugs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Registry registry;
  EXPECT_DEATH(registry.counter("berth_requests", "No suffix.", {}), "check");
  EXPECT_DEATH(registry.counter("requests_total", "No prefix.", {}), "check");
  EXPECT_DEATH(registry.counter("berth_vllm:x_total", "A colon.", {}), "check");
  EXPECT_DEATH(registry.counter("berth_x_total", "X.", {{"le", "1"}}), "check");
  EXPECT_DEATH(registry.counter("berth_x_total", "", {}), "check");
  registry.counter("berth_x_total", "X.", {});
  EXPECT_DEATH(registry.counter("berth_x_total", "Another help.", {}), "check");
}

}  // namespace
}  // namespace berth::observe
