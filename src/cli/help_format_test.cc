#include "cli/help_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace berth::cli {
namespace {

using ::testing::HasSubstr;

TEST(HelpFormat, SaysWhatAnOptionTakesInPlainWords) {
  CLI::App app{"A test", "test"};
  app.formatter(std::make_shared<HelpFormat>());
  unsigned replicas = 4;
  double scale = 5;
  double seconds = 0;
  std::string topology = "ranks";
  std::string admin = "a";
  std::vector<unsigned> stages{4, 8};
  bool plan = true;
  app.add_option("--replicas", replicas, "Replicas")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--scale", scale, "Speed")->check(CLI::Range(0.1, 1e7))->capture_default_str();
  app.add_option("--seconds", seconds, "How long")->check(CLI::PositiveNumber);
  app.add_option("--topology", topology, "Form")->check(CLI::IsMember({"ranks", "servers"}));
  app.add_option("--stages", stages, "Stages")->capture_default_str();
  app.add_option("--admin", admin, "Address")->envname("X_ADMIN")->required();
  app.add_flag("--plan,--no-plan{false}", plan, "Plan");
  app.get_formatter()->column_width(40);
  const std::string help = app.help();
  for (const char* line : {
           "  --replicas N                          Replicas (1 to 64) [4]\n",
           "  --scale X                             Speed (0.1 to 10000000) [5]\n",
           "  --seconds X                           How long (above 0)\n",
           "  --topology ranks|servers              Form\n",
           "  --stages N ...                        Stages [4,8]\n",
           "  --admin TEXT                          Address (or the variable X_ADMIN) (required)\n",
           "  --plan,--no-plan                      Plan\n",
       }) {
    EXPECT_THAT(help, HasSubstr(line));
  }
}

}  // namespace
}  // namespace berth::cli
