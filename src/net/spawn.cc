#include "net/spawn.h"

#include <boost/asio/co_spawn.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace berth::net {
namespace {

const char* text_of(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();  // lives as long as `failure`
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace

void spawn(const Executor& executor, const char* name, Task<void> task) {
  asio::co_spawn(executor, std::move(task), [name](const std::exception_ptr& failure) {
    if (!failure) return;
    std::fprintf(stderr, "berth: the coroutine %s failed: %s\n", name, text_of(failure));
    std::abort();
  });
}

}  // namespace berth::net
