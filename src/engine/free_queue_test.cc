#include "engine/free_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace berth::engine {
namespace {

using Order = std::vector<BlockId>;

Order pop_many(FreeQueue& queue, int times) {
  Order popped;
  for (int i = 0; i < times; ++i) popped.push_back(queue.pop());
  return popped;
}

TEST(FreeQueue, BeginsInBlockOrderWithoutTheNullBlock) {
  FreeQueue queue(5);
  EXPECT_EQ(queue.size(), 4u);
  EXPECT_EQ(queue.order(), (Order{1, 2, 3, 4}));
  EXPECT_EQ(pop_many(queue, 2), (Order{1, 2}));
  EXPECT_EQ(queue.order(), (Order{3, 4}));
}

TEST(FreeQueue, AppendedBlocksComeAfterAllOthers) {
  FreeQueue queue(5);
  pop_many(queue, 3);
  queue.append(2);
  queue.append(1);
  EXPECT_EQ(queue.order(), (Order{4, 2, 1}));
  EXPECT_EQ(pop_many(queue, 3), (Order{4, 2, 1}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(FreeQueue, PrependedBlocksComeFirstTheLastOneBeforeTheOthers) {
  FreeQueue queue(6);
  pop_many(queue, 3);
  queue.append(1);
  queue.prepend(2);
  queue.prepend(3);
  EXPECT_EQ(queue.order(), (Order{3, 2, 4, 5, 1}));
  EXPECT_EQ(pop_many(queue, 5), (Order{3, 2, 4, 5, 1}));
}

TEST(FreeQueue, RemovesFromTheHeadTheMiddleAndTheTail) {
  FreeQueue queue(6);
  pop_many(queue, 5);
  for (const BlockId block : {1, 2, 3, 4, 5}) queue.append(block);
  queue.remove(1);
  queue.remove(3);
  queue.remove(5);
  EXPECT_EQ(queue.order(), (Order{2, 4}));
  EXPECT_EQ(queue.size(), 2u);
  queue.append(3);
  EXPECT_EQ(pop_many(queue, 3), (Order{2, 4, 3}));
}

// Against a list that is written as one thinks of it.
TEST(FreeQueue, AgreesWithAPlainListOverRandomOperations) {
  std::mt19937_64 random(7);
  FreeQueue queue(40);
  std::deque<BlockId> list;
  for (BlockId block = 1; block < 40; ++block) list.push_back(block);
  Order out;
  std::vector<bool> appended(40);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t what = random() % 4;
    if (what == 0 && !list.empty()) {
      ASSERT_EQ(queue.pop(), list.front());
      out.push_back(list.front());
      list.pop_front();
    } else if (what == 3 && !list.empty()) {
      const BlockId block = list[random() % list.size()];
      if (!appended[block]) continue;
      queue.remove(block);
      list.erase(std::find(list.begin(), list.end(), block));
      out.push_back(block);
    } else if (!out.empty()) {
      const BlockId block = out.back();
      out.pop_back();
      appended[block] = what == 1;
      if (what == 1) {
        queue.append(block);
        list.push_back(block);
      } else {
        queue.prepend(block);
        list.push_front(block);
      }
    }
    ASSERT_EQ(queue.size(), list.size());
    if (step % 100 == 0) {
      ASSERT_EQ(queue.order(), Order(list.begin(), list.end()));
    }
  }
}

}  // namespace
}  // namespace berth::engine
