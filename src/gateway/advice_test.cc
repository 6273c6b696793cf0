#include "gateway/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::gateway {
namespace {

using routing::ReplicaState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AdviceTest : public ::testing::Test {
 protected:
  observe::ReplicaStatus& add(const std::string& label, std::uint32_t resident) {
    observe::ReplicaStatus replica;
    replica.routing.spec.label = label;
    replica.routing.view.resident = resident;
    model_.replicas.push_back(replica);
    return model_.replicas.back();
  }
  observe::ModelStatus model_;
};

TEST_F(AdviceTest, NothingIsSaidWhenAllIsWell) {
  add("a", 5);
  add("b", 4);
  EXPECT_THAT(advice_for(model_), IsEmpty());
}

TEST_F(AdviceTest, AnUnevenSpreadIsSaidOfReplicasThatTakeConversationsOnly) {
  add("a", 9);
  add("b", 1);
  EXPECT_THAT(advice_for(model_), ElementsAre("replica a holds 9 conversations, replica b only 1"));
  model_.replicas[1].routing.state = ReplicaState::kDraining;
  EXPECT_THAT(advice_for(model_), IsEmpty());
  model_.replicas[1].routing.state = ReplicaState::kUp;
  model_.replicas[0].routing.state = ReplicaState::kDraining;
  EXPECT_THAT(advice_for(model_), IsEmpty());
}

TEST_F(AdviceTest, ARankThatHangsIsNamedWithTheReason) {
  add("a", 1);
  observe::ReplicaStatus& hung = add("b", 1);
  hung.why = "nothing moves";
  hung.routing.state = ReplicaState::kSuspect;
  EXPECT_THAT(advice_for(model_),
              ElementsAre("replica b gets no new conversations: nothing moves"));
  hung.routing.state = ReplicaState::kDown;
  EXPECT_THAT(advice_for(model_),
              ElementsAre("replica b is down (nothing moves): its conversations "
                          "are served elsewhere"));
}

TEST_F(AdviceTest, WithoutAReplicaThatTakesRequestsThatIsSaid) {
  EXPECT_THAT(advice_for(model_), ElementsAre(HasSubstr("no replica has been found yet")));
  add("a", 0).routing.state = ReplicaState::kDraining;
  EXPECT_THAT(advice_for(model_), ElementsAre("no replica can take requests"));
}

}  // namespace
}  // namespace berth::gateway
