#include "cli/status_text.h"

#include <gtest/gtest.h>

#include "console/fake_source.h"
#include "console/snapshot_json.h"

namespace berth::cli {
namespace {

using console::FakeSource;

constexpr Instant kNow{std::chrono::hours(5)};

std::string text(const observe::FleetStatus& fleet, const Terminal& terminal = {}) {
  return status_text(console::snapshot_json(fleet, kNow), terminal);
}

TEST(StatusText, PrintsTheReplicaTableOfAModel) {
  EXPECT_EQ(text(FakeSource::two_ranks(kNow).fleet), R"(Since 2026-09-21T14:13:20Z (2 h 3 min).

org/qwen3-4b   affinity on   overflow threshold 8 (auto, assumed)   sticky share 97.3%   conversations bound 7
replica            requests  sticky  placed  overflow  moved  failover  unbound  running  waiting  in flight  KV use  prefix hits  resident  working set  state
gpu0:8000#0           1,040   1,000       4        20      2         1       13        3        1          4   72.5%        86.4%         5  38.2k/40.0k  up 2 h 3 min
gpu0:8000#1             213     200       3        10      0         0        0        0        0          0    0.0%            -         2    950/40.0k  up 42 s
(engine's choice)         5       -       -         -      -         -        5        -        -          1       -            -         -            -
----------------------------------------------------------------------------------------------------------------------------------------------------------------------
total                 1,258   1,200       7        30      2         1       18        3        1          5       -        86.4%         7  39.1k/80.0k
Never sent to a replica: 3 refused, 1 abandoned by the client.
! Replica gpu0:8000#0 holds 2.5 times the conversations of gpu0:8000#1.
)");
}

TEST(StatusText, FitsANarrowTerminal) {
  EXPECT_EQ(text(FakeSource::two_ranks(kNow).fleet, {80, false}),
            R"(Since 2026-09-21T14:13:20Z (2 h 3 min).

org/qwen3-4b   affinity on   overflow threshold 8 (auto, assumed)
  sticky share 97.3%   conversations bound 7
replica            requests  sticky  placed  overflow  moved  failover  unbound
gpu0:8000#0           1,040   1,000       4        20      2         1       13
gpu0:8000#1             213     200       3        10      0         0        0
(engine's choice)         5       -       -         -      -         -        5
-------------------------------------------------------------------------------
total                 1,258   1,200       7        30      2         1       18

replica            running  waiting  in flight  KV use  prefix hits  resident
gpu0:8000#0              3        1          4   72.5%        86.4%         5
gpu0:8000#1              0        0          0    0.0%            -         2
(engine's choice)        -        -          1       -            -         -
-----------------------------------------------------------------------------
total                    3        1          5       -        86.4%         7

replica            working set  state
gpu0:8000#0        38.2k/40.0k  up 2 h 3 min
gpu0:8000#1          950/40.0k  up 42 s
(engine's choice)            -
--------------------------------------------
total              39.1k/80.0k
Never sent to a replica: 3 refused, 1 abandoned by the client.
! Replica gpu0:8000#0 holds 2.5 times the conversations of gpu0:8000#1.
)");
}

TEST(StatusText, ServersThatAreNotUpComeFirst) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.servers[0].health = "down";
  fleet.servers[0].why = "connection refused";
  fleet.servers[0].health_age = std::chrono::seconds(12);
  const std::string out = text(fleet);
  EXPECT_NE(out.find("\nserver http://gpu0:8000 is down for 12 s: connection refused\n"),
            std::string::npos)
      << out;
}

TEST(StatusText, AStaleScrapeShowsDashesAndSaysSo) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.servers[0].scrape_age.reset();
  const std::string out = text(fleet);
  EXPECT_NE(out.find("up 42 s, no fresh scrape"), std::string::npos) << out;
}

TEST(StatusText, AnEmptyFleetSaysThatNothingWasFound) {
  EXPECT_NE(text({}).find("No model found on any server yet."), std::string::npos);
}

TEST(StatusText, AffinityOffAndAPolicyAreInTheHeading) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].settings.affinity = false;
  fleet.models[0].settings.policy = routing::Policy::kSessionHash;
  const std::string out = text(fleet);
  EXPECT_NE(out.find("affinity off   policy session-hash"), std::string::npos) << out;
}

TEST(StatusText, ColourMarksStatesAndAdvice) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].replicas[1].routing.state = routing::ReplicaState::kDown;
  const std::string out = text(fleet, {std::nullopt, true});
  EXPECT_NE(out.find("\x1b[32mup 2 h 3 min\x1b[0m"), std::string::npos) << out;
  EXPECT_NE(out.find("\x1b[31mdown 42 s\x1b[0m"), std::string::npos) << out;
  EXPECT_NE(out.find("\x1b[33m! Replica"), std::string::npos) << out;
}

TEST(StatusText, AStrangeDocumentIsNoCrash) {
  for (const char* document :
       {"null", "[]", "{}", R"({"models":[{}]})", R"({"models":"x","servers":3})",
        R"({"models":[{"replicas":[{"requests":-1,"label":7}]}]})"}) {
    EXPECT_FALSE(status_text(console::Json::parse(document), {}).empty()) << document;
  }
}

TEST(StatusText, ControlBytesDoNotReachTheTerminal) {
  observe::FleetStatus fleet = FakeSource::two_ranks(kNow).fleet;
  fleet.models[0].name = "evil\x1b[2J";
  EXPECT_EQ(text(fleet).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
