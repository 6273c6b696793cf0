// The event loop types, spelled once.
//
// The executor type is concrete: Asio's default any_io_executor costs 6 to 23 % on the data path.
// Coroutines return Task<T>; every operation is awaited as `co_await op(..., use_tuple)` and yields
// an error code, never an exception.
//
// gcc 12 destroys capturing-lambda, braced-aggregate and `?:` temporaries inside a co_await
// expression twice. So: name such a value first, then co_await a call that uses the name
// (tools/lint_coawait.py holds us to it). A coroutine is a named function; it takes its parameters
// by value, or by pointer or reference to an object that outlives it.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>

namespace berth::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
template <typename T>
using Task = asio::awaitable<T, Executor>;

inline constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> use_tuple{
    asio::use_awaitable_t<Executor>{}};

// What a read or write did. `bytes` counts what was transferred even when `error` is set.
struct IoResult {
  error_code error;
  std::size_t bytes = 0;
};

}  // namespace berth::net
