#include "cli/sim_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/sim_flags.h"

namespace berth::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

sim::Cell cell(const char* policy, std::uint32_t clients, std::uint64_t seed, double tokens) {
  sim::Cell out;
  out.policy = policy;
  out.stage.clients = clients;
  out.seed = seed;
  out.result.measures.output_tokens_per_min = tokens;
  return out;
}

TEST(SimTable, IsTheMeanOverTheSeedsAndTheSpreadOfOne) {
  EXPECT_EQ(spread_text({9'000, 9'100, 9'200}, 0), "9,100+-100");
  EXPECT_EQ(spread_text({1.5}, 2), "1.50");
}

TEST(SimTable, GroupsByStageThenPolicyWithThePublishedRowsAtTheEnd) {
  const std::vector<sim::Cell> cells = {cell("on", 4, 1, 7'000),  cell("on", 8, 1, 12'000),
                                        cell("on", 4, 2, 7'100),  cell("on", 8, 2, 12'100),
                                        cell("off", 4, 1, 5'000), cell("off", 8, 1, 8'000)};
  const std::string table = sim_table(cells, TableKind::kReference, Terminal{});
  const std::size_t on = table.find("7,050+-71");
  const std::size_t off = table.find("5,000");
  const std::size_t published = table.find("5,886");
  EXPECT_LT(on, off);
  EXPECT_LT(off, published);
  EXPECT_LT(published, table.find("12,050+-71"));
}

TEST(SimTable, ATraceHasItsOwnColumnsAndNothingPublished) {
  sim::Cell one = cell("on", 27, 1, 9'000);
  one.stage.ratio = 1.2;
  const std::string table = sim_table({one}, TableKind::kTrace, Terminal{});
  EXPECT_THAT(table, HasSubstr("1.2 (27)"));
  EXPECT_THAT(table, HasSubstr("turns/min"));
  EXPECT_THAT(table, Not(HasSubstr("published")));
}

TEST(SimFlags, EventsAreReadOrRefused) {
  const auto lost = parse_fleet_event("lost:2@1.5");
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->server, 2U);
  EXPECT_EQ(lost->at, std::chrono::milliseconds(1'500));
  EXPECT_EQ(parse_fleet_event("restarted:0@9")->kind, sim::FleetEvent::Kind::kRestarted);
  EXPECT_EQ(parse_fleet_event("added@9")->kind, sim::FleetEvent::Kind::kAdded);
  for (const char* bad : {"", "lost", "lost:1", "lost@1", "lost:x@1", "lost:1@", "lost:1@-1",
                          "lost:1@nan", "gone:1@1", "added:1@1", "lost:-1@1"}) {
    EXPECT_FALSE(parse_fleet_event(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace berth::cli
