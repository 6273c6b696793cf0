#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TextTable sample() {
  TextTable table({{"name", false}, {"n"}, {"extra"}, {"state", false}});
  table.add_row({{"a"}, {"1,000"}, {"x"}, {"up", Style::kGood}});
  table.add_rule();
  table.add_row({{"total"}, {"7"}, {"-"}, {""}});
  return table;
}

TEST(TextTable, AlignsAndIsUncutWithoutAWidth) {
  EXPECT_EQ(sample().text({}),
            "name       n  extra  state\n"
            "a      1,000      x  up\n"
            "--------------------------\n"
            "total      7      -\n");
}

TEST(TextTable, GoesOnBelowWhereTheTerminalIsTooNarrow) {
  EXPECT_EQ(sample().text({20, false}),
            "name       n  extra\n"
            "a      1,000      x\n"
            "-------------------\n"
            "total      7      -\n"
            "\n"
            "name   state\n"
            "a      up\n"
            "------------\n"
            "total\n");
}

TEST(TextTable, ExactlyFittingIsOnePart) {
  EXPECT_EQ(sample().text({26, false}), sample().text({}));
  EXPECT_NE(sample().text({25, false}), sample().text({}));
}

TEST(TextTable, AnAbsurdlyNarrowTerminalStillGetsEveryColumn) {
  const std::string text = sample().text({1, false});
  for (const char* word : {"1,000", "extra", "state"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

TEST(TextTable, ColourDoesNotMoveColumns) {
  const std::string text = sample().text({std::nullopt, true});
  EXPECT_NE(text.find("a      1,000      x  \x1b[32mup\x1b[0m\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth::cli
