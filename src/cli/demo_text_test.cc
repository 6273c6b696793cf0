#include "cli/demo_text.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using std::chrono::milliseconds;

DemoTurn turn(std::uint32_t agent, std::uint32_t number, const std::string& replica,
              std::uint64_t cached) {
  DemoTurn turn;
  turn.agent = agent;
  turn.number = number;
  turn.outcome = number == 1 ? "placed" : "sticky";
  turn.replica = replica;
  turn.prompt_tokens = 10'000;
  turn.cached_tokens = cached;
  turn.first_token = milliseconds(200);
  return turn;
}

TEST(DemoText, ATurnIsOneLine) {
  EXPECT_EQ(demo_turn_line(turn(2, 3, "127.0.0.1:8000#1", 9'600), "this is its home", 10),
            "  agent 2 turn 3  sticky   127.0.0.1:8000#1      9,600 of 10,000 prompt tokens "
            "cached, 96.0%; "
            "first token  2.0 s  (this is its home)\n");
}

TEST(DemoText, ATurnTheEnginePlacedSaysSo) {
  DemoTurn unbound = turn(1, 1, "", 0);
  unbound.outcome = "unbound";
  unbound.cached_tokens.reset();
  EXPECT_EQ(
      demo_turn_line(unbound, "", 1),
      "  agent 1 turn 1  unbound  the engine's choice  10,000 prompt tokens; first token  0.2 s\n");
}

TEST(DemoText, AnArmCountsLaterTurnsOnly) {
  const DemoArm arm = demo_arm({turn(1, 1, "a", 0), turn(2, 1, "b", 0), turn(1, 2, "a", 9'000),
                                turn(2, 2, "a", 1'000), turn(1, 3, "a", 9'500)},
                               10);
  EXPECT_EQ(arm.prompt_tokens, 30'000u);
  EXPECT_EQ(arm.cached_tokens, 19'500u);
  EXPECT_EQ(arm.followed, 3u);
  EXPECT_EQ(arm.stayed, 2u);
  EXPECT_DOUBLE_EQ(arm.mean_first_token_s.value(), 2.0);
  EXPECT_DOUBLE_EQ(arm.median_first_token_s.value(), 2.0);
}

TEST(DemoText, WhereTheEngineChoseNobodyKnowsWhoStayed) {
  const DemoArm arm = demo_arm({turn(1, 1, "", 0), turn(1, 2, "", 5'000)}, 1);
  EXPECT_EQ(arm.followed, 0u);
}

TEST(DemoText, TheDifferenceStandsSideBySide) {
  DemoArm off{30'000, 15'000, 2.5, 2.4, 0, 0};
  DemoArm on{30'000, 28'800, 0.5, 0.4, 12, 12};
  EXPECT_EQ(demo_difference(off, on),
            "second and later turns                    affinity off  affinity on\n"
            "prompt tokens read from the prefix cache         50.0%        96.0%\n"
            "first token after, on average                    2.5 s        0.5 s\n"
            "first token after, median                        2.4 s        0.4 s\n"
            "turns that stayed on their replica                   -       100.0%\n");
}

TEST(DemoText, AnArmWithoutTurnsIsDashes) {
  EXPECT_NE(demo_difference({}, {}).find("            -            -\n"), std::string::npos);
}

TEST(DemoText, TheIntroductionSaysWhatRuns) {
  const std::string ranks = demo_introduction({4, Topology::kRanks, 5}, "m", 1, 4);
  EXPECT_TRUE(
      ranks.starts_with("One simulated vLLM server with 4 ranks, the gateway in front, and 1 "
                        "agent session of 4 turns each.\n"))
      << ranks;
  const std::string servers = demo_introduction({2, Topology::kServers, 1.5}, "m", 3, 1);
  EXPECT_TRUE(servers.starts_with("2 simulated vLLM servers, ")) << servers;
  EXPECT_NE(servers.find("1.5 times faster"), std::string::npos);
}

TEST(DemoText, TheLastWordsNameEveryAddress) {
  const std::string text =
      demo_addresses({"http://g:1", "http://a:2", "/t/token", "m", "s-1", "build/berth"});
  for (const char* piece :
       {"gateway      http://g:1\n", "admin        http://a:2\n", "admin token  /t/token\n",
        "\n  build/berth explain --admin http://a:2 s-1\n", "ANTHROPIC_BASE_URL=http://g:1 ",
        "ANTHROPIC_MODEL=m "}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

}  // namespace
}  // namespace berth::cli
