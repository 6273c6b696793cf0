#include "net/spawn.h"

#include <gtest/gtest.h>

#include <new>

namespace berth::net {
namespace {

Task<void> set(bool* done) {
  *done = true;
  co_return;
}

Task<void> run_out_of_memory() {
  throw std::bad_alloc();
  co_return;
}

Task<void> throw_a_number() {
  throw 7;
  co_return;
}

void run(Task<void> task) {
  asio::io_context io;
  spawn(io.get_executor(), "serve_connection", std::move(task));
  io.run();
}

TEST(Spawn, RunsTheCoroutineToItsEnd) {
  bool done = false;
  run(set(&done));
  EXPECT_TRUE(done);
}

TEST(SpawnDeathTest, AnExceptionEndsTheProcessAndNamesTheCoroutine) {
  EXPECT_DEATH(run(run_out_of_memory()), "the coroutine serve_connection failed: std::bad_alloc");
  EXPECT_DEATH(run(throw_a_number()), "the coroutine serve_connection failed: something");
}

}  // namespace
}  // namespace berth::net
