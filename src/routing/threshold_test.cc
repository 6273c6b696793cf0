#include "routing/threshold.h"

#include "routing/test_rig.h"

namespace berth::routing {
namespace {

TEST(Threshold, SaysWhereItComesFrom) {
  Settings settings;
  EXPECT_EQ(threshold_of(settings, 0).text(), "8 (auto, assumed)");
  settings.max_num_seqs = 32;
  EXPECT_EQ(threshold_of(settings, 0).text(), "8 (auto)");
  settings.overflow_threshold = 12;
  EXPECT_EQ(threshold_of(settings, 0).text(), "12");
}

TEST(Threshold, IsAQuarterOfTheSequenceLimitAndAtLeastOne) {
  Settings settings;
  settings.max_num_seqs = 256;
  EXPECT_EQ(threshold_of(settings, 0).value, 64u);
  settings.max_num_seqs = 2;
  EXPECT_EQ(threshold_of(settings, 0).value, 1u);
}

TEST(Threshold, AnAssumedLimitRisesWithWhatIsSeenRunningAndNeverFalls) {
  Rig rig(2);
  rig.router.on_scrape(0, {16, 0, 0.1}, rig.now());
  EXPECT_EQ(rig.router.snapshot(rig.now()).threshold.text(), "8 (auto, assumed)");
  rig.router.on_scrape(1, {64, 3, 0.1}, rig.now());
  EXPECT_EQ(rig.router.snapshot(rig.now()).threshold.text(), "16 (auto, assumed)");
  rig.router.on_scrape(1, {1, 0, 0.1}, rig.now());
  EXPECT_EQ(rig.router.snapshot(rig.now()).threshold.value, 16u);
}

TEST(Threshold, ASetLimitIsNotOverruledByWhatIsSeen) {
  Settings settings;
  settings.max_num_seqs = 32;
  Rig rig(1, settings);
  rig.router.on_scrape(0, {64, 0, 0.1}, rig.now());
  EXPECT_EQ(rig.router.snapshot(rig.now()).threshold.text(), "8 (auto)");
}

TEST(Threshold, ChangesAtOnceWithTheSettings) {
  Rig rig(2);
  rig.turn(turn_of("s"));
  rig.send(turn_of("s"));
  EXPECT_EQ(rig.send(turn_of("s")).outcome, Outcome::kSticky);
  Settings settings;
  settings.overflow_threshold = 1;
  rig.router.on_config(settings, rig.now());
  EXPECT_EQ(rig.send(turn_of("s")).outcome, Outcome::kOverflow);
}

}  // namespace
}  // namespace berth::routing
