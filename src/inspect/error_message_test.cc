#include "inspect/error_message.h"

#include <gtest/gtest.h>

namespace berth::inspect {
namespace {

TEST(ErrorMessageOf, FindsTheSentenceInEveryShapeEnginesUse) {
  EXPECT_EQ(error_message_of(R"({"error":{"message":"too long","code":400}})"), "too long");
  EXPECT_EQ(error_message_of(R"({"type":"error","error":{"type":"x","message":"no"}})"), "no");
  EXPECT_EQ(error_message_of(R"({"error":"Unauthorized"})"), "Unauthorized");
  EXPECT_EQ(error_message_of(R"({"message":"plain"})"), "plain");
}

TEST(ErrorMessageOf, WhatIsNotJsonIsPassedOnCut) {
  EXPECT_EQ(error_message_of("<html>bad gateway</html>"), "<html>bad gateway</html>");
  EXPECT_EQ(error_message_of(std::string(5000, 'x')).size(), 1024u);
}

}  // namespace
}  // namespace berth::inspect
