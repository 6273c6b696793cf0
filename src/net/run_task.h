// Runs one coroutine to its end from ordinary code: command line programs and tests.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/types.h"

namespace berth::net {

// Runs `io` until `task` has ended; other work of `io` runs meanwhile and stays where it is when
// the task ends. Must not be called from a handler of `io`. An exception of the task comes out
// here.
inline void run_task(asio::io_context& io, Task<void> task) {
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(io.get_executor(), std::move(task), [&](std::exception_ptr error) {
    failure = error;
    done = true;
  });
  io.restart();
  while (!done) BERTH_CHECK(io.run_one() > 0);
  if (failure) std::rethrow_exception(failure);
}

// Asio's completion of a coroutine wants a T that can be made from nothing, and a Result<Stream>
// cannot.
template <typename T>
Task<void> store_result(Task<T> task, std::optional<T>* result) {
  result->emplace(co_await std::move(task));
}

// The same, with the task's result.
template <typename T>
T run_task(asio::io_context& io, Task<T> task) {
  std::optional<T> result;
  run_task(io, store_result(std::move(task), &result));
  return std::move(*result);
}

}  // namespace berth::net
