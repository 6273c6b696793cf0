#include "gateway/unreachable_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace berth::gateway {
namespace {

class UnreachableHintTest : public ::testing::Test {
 protected:
  UnreachableHintTest() {
    hint_.connect(control_, [this](std::uint32_t server) { heard_.push_back(server); });
  }
  net::asio::io_context control_{1};
  std::vector<std::uint32_t> heard_;
  UnreachableHint hint_;
};

TEST_F(UnreachableHintTest, IsHeardOnTheControlThread) {
  hint_.tell(3);
  EXPECT_THAT(heard_, testing::IsEmpty());
  control_.run();
  EXPECT_THAT(heard_, testing::ElementsAre(3));
}

TEST_F(UnreachableHintTest, WhatIsStillInTheQueueWhenTheListenerGoesIsDropped) {
  hint_.tell(3);
  hint_.disconnect();
  hint_.tell(4);
  control_.run();
  EXPECT_THAT(heard_, testing::IsEmpty());
}

TEST(UnreachableHint, WithoutAListenerNothingHappens) {
  UnreachableHint hint;
  hint.tell(1);
  hint.disconnect();
}

}  // namespace
}  // namespace berth::gateway
