// Outcomes, counters and tokens: what is counted, when, and for whom.
#include <numeric>

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

std::uint64_t sum(const OutcomeCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(Accounts, AnOutcomeIsCountedWhenTheRequestEnds) {
  Rig rig(2);
  const Dispatch open = rig.send(turn_of("s"));
  EXPECT_EQ(sum(rig.router.snapshot(rig.now()).outcomes), 0u);
  rig.finish(open);
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 1u);
  EXPECT_EQ(rig.replica(*open.replica).counters.requests, 1u);
}

TEST(Accounts, ClosingTwiceCountsOnce) {
  Rig rig(2);
  const Dispatch open = rig.send(turn_of("s"));
  rig.finish(open);
  rig.finish(open);
  rig.router.on_gone(open.ticket, rig.now());
  EXPECT_EQ(sum(rig.router.snapshot(rig.now()).outcomes), 1u);
  EXPECT_EQ(rig.replica(*open.replica).view.in_flight, 0u);
}

TEST(Accounts, RequestsThatWereNeverDispatchedAreCountedToo) {
  Rig rig(1);
  rig.router.count_without_dispatch(Outcome::kRefused);
  rig.router.count_without_dispatch(Outcome::kAbandoned);
  EXPECT_EQ(rig.outcomes(Outcome::kRefused), 1u);
  EXPECT_EQ(rig.outcomes(Outcome::kAbandoned), 1u);
}

TEST(Accounts, AClientThatLeavesAfterDispatchCountsAsDispatched) {
  Rig rig(1);
  rig.router.on_gone(rig.send(turn_of("s")).ticket, rig.now());
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 1u);
  EXPECT_EQ(rig.replica(0).view.in_flight, 0u);
}

TEST(Accounts, AClientThatLeavesBeforeTheRequestIsSentCountsAsAbandoned) {
  Rig rig(1);
  const Dispatch open = rig.send(turn_of("s"));
  rig.router.on_unsent(open.ticket, Outcome::kAbandoned, rig.now());
  rig.router.on_unsent(open.ticket, Outcome::kAbandoned, rig.now());
  EXPECT_EQ(rig.outcomes(Outcome::kAbandoned), 1u);
  EXPECT_EQ(rig.outcomes(Outcome::kPlaced), 0u);
  EXPECT_EQ(rig.replica(0).counters.requests, 0u);
  EXPECT_EQ(rig.replica(0).view.in_flight, 0u);
  EXPECT_EQ(rig.replica(0).view.resident, 0u);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced);
}

TEST(Accounts, TheEnginesTokensAreAddedUpAndMissingOnesNamed) {
  Rig rig(1);
  rig.router.on_finished(rig.send(turn_of("s")).ticket, {200, {1000, 400, 50}, true}, rig.now());
  rig.router.on_finished(rig.send(turn_of("s")).ticket, {200, {2000, std::nullopt, 60}, true},
                         rig.now());
  rig.router.on_finished(rig.send(turn_of("s")).ticket, {400, {}, true}, rig.now());
  const ReplicaCounters counters = rig.replica(0).counters;
  EXPECT_EQ(counters.prompt_tokens, 3000u);
  EXPECT_EQ(counters.cached_tokens, 400u);
  EXPECT_EQ(counters.output_tokens, 110u);
  EXPECT_EQ(counters.unmeasured, 1u);
  EXPECT_EQ(counters.requests, 3u);
}

TEST(Accounts, ThePeakIsKept) {
  Rig rig(1);
  const std::vector<Dispatch> open = rig.busy("s", 5);
  for (const Dispatch& dispatch : open) rig.finish(dispatch);
  rig.turn(turn_of("s"));
  EXPECT_EQ(rig.replica(0).counters.in_flight_peak, 5u);
}

TEST(Tokens, AreEstimatedFromBytesUntilTheEngineTells) {
  Rig rig(1);
  RequestFacts facts = turn_of("s");
  facts.body_bytes = 40'000;
  const Dispatch open = rig.send(facts);
  const Explanation before = rig.router.explain("s", rig.now()).front();
  EXPECT_EQ(before.tokens, 10'000u);
  EXPECT_FALSE(before.tokens_exact);
  EXPECT_EQ(rig.replica(0).view.resident_tokens, 10'000u);
  rig.router.on_finished(open.ticket, {200, {8'000, 0, 100}, true}, rig.now());
  const Explanation after = rig.router.explain("s", rig.now()).front();
  EXPECT_EQ(after.tokens, 8'100u);
  EXPECT_TRUE(after.tokens_exact);
  EXPECT_EQ(rig.replica(0).view.resident_tokens, 8'100u);
}

TEST(Tokens, TheRatioIsLearned) {
  Rig rig(1);
  for (int i = 0; i < 400; ++i) {
    rig.router.on_finished(rig.send(turn_of("s")).ticket, {200, {20'000, 0, 1}, true}, rig.now());
  }
  rig.send(turn_of("fresh"));
  const std::uint64_t estimate = rig.router.explain("fresh", rig.now()).front().tokens;
  EXPECT_GE(estimate, 19'900u);
  EXPECT_LE(estimate, 20'000u);
}

TEST(Tokens, AFailedFirstRequestLeavesNothingResident) {
  for (const int status : {400, 429, 500, 503}) {
    Rig rig(2);
    const Dispatch first = rig.send(turn_of("s"));
    EXPECT_EQ(rig.replica(*first.replica).view.resident, 1u);
    rig.fail(first, status);
    EXPECT_EQ(rig.replica(*first.replica).view.resident, 0u);
    EXPECT_EQ(rig.replica(*first.replica).view.resident_tokens, 0u);
    EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kPlaced) << status;
  }
}

TEST(Tokens, AFailedLaterTurnKeepsWhatIsKnown) {
  Rig rig(2);
  rig.turn(turn_of("s"), 30'000);
  rig.fail(rig.send(turn_of("s")), 500);
  EXPECT_EQ(rig.router.explain("s", rig.now()).front().tokens, 30'200u);
  EXPECT_EQ(rig.turn(turn_of("s")).outcome, Outcome::kSticky);
}

TEST(Tokens, AClientThatLeavesBeforeTheFirstByteKeepsItsHomeButIsNotResident) {
  Rig rig(2);
  const Dispatch first = rig.send(turn_of("s"));
  rig.router.on_gone(first.ticket, rig.now());
  EXPECT_EQ(rig.replica(*first.replica).view.resident, 0u);
  const Dispatch again = rig.turn(turn_of("s"));
  EXPECT_EQ(again.outcome, Outcome::kSticky);
  EXPECT_EQ(again.replica, first.replica);
}

TEST(Tokens, AStreamThatBreaksBeforeItsFirstTokenLeavesNothing) {
  Rig rig(2);
  const Dispatch early = rig.send(turn_of("early"));
  rig.router.on_finished(early.ticket, {200, {}, false}, rig.now());
  EXPECT_EQ(rig.replica(*early.replica).view.resident, 0u);
  const Dispatch late = rig.send(turn_of("late"));
  rig.router.on_first_byte(late.ticket, rig.now());
  rig.router.on_finished(late.ticket, {200, {}, false}, rig.now());
  EXPECT_EQ(rig.router.explain("late", rig.now()).front().turns, 1u);
}

TEST(Tokens, AClientThatLeavesInTheMiddleLeavesItsPromptInTheCache) {
  Rig rig(2);
  const Dispatch first = rig.send(turn_of("s"));
  rig.router.on_first_byte(first.ticket, rig.now());
  rig.router.on_gone(first.ticket, rig.now());
  EXPECT_EQ(rig.replica(*first.replica).view.resident, 1u);
  EXPECT_EQ(rig.router.explain("s", rig.now()).front().turns, 1u);
}

}  // namespace
}  // namespace berth::routing
