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

// Runs `io` until `task` has ended, and returns its result; other work of `io` runs meanwhile and
// stays where it is when the task ends. Must not be called from a handler of `io`.
template <typename T>
T run_task(asio::io_context& io, Task<T> task) {
  std::optional<T> result;
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(io.get_executor(), std::move(task), [&](std::exception_ptr error, T value) {
    failure = error;
    result.emplace(std::move(value));
    done = true;
  });
  io.restart();
  while (!done) BERTH_CHECK(io.run_one() > 0);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

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

}  // namespace berth::net
