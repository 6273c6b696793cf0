#include "net/resolve.h"

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>

namespace berth::net {
namespace {

constexpr std::size_t kMaxEndpoints = 16;

using Resolver = asio::ip::basic_resolver<tcp, Executor>;

// Shared between the waiting coroutine and a look-up that may end after it.
struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor), wake(executor) {}
  Resolver resolver;
  Timer wake;  // set to the deadline
  bool done = false;
  Resolved result;
};

void start(const std::shared_ptr<Lookup>& lookup, const std::string& host, std::uint16_t port) {
  lookup->resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                                 [lookup](error_code ec, const Resolver::results_type& found) {
                                   lookup->done = true;
                                   // The timer may not have been looked at yet.
                                   if (lookup->wake.expiry() <= std::chrono::steady_clock::now()) {
                                     lookup->result.error = asio::error::timed_out;
                                     return;
                                   }
                                   lookup->result.error = ec;
                                   for (const auto& entry : found) {
                                     if (lookup->result.endpoints.size() == kMaxEndpoints) break;
                                     lookup->result.endpoints.push_back(entry.endpoint());
                                   }
                                   lookup->wake.cancel();
                                 });
}

}  // namespace

Task<Resolved> resolve(std::string host, std::uint16_t port, Instant deadline, Abort* abort) {
  Resolved result;
  error_code not_literal;
  const auto address = asio::ip::make_address(host, not_literal);
  if (!not_literal) {
    result.endpoints.emplace_back(address, port);
    co_return result;
  }

  const auto executor = co_await asio::this_coro::executor;
  const auto lookup = std::make_shared<Lookup>(executor);
  lookup->wake.expires_at(deadline);
  start(lookup, host, port);
  const AbortScope scope(abort, [lookup] { lookup->wake.cancel(); });
  const auto aborted = [abort] { return abort != nullptr && abort->aborted(); };
  // Somebody may have aborted before there was anything to wake.
  if (!lookup->done && !aborted()) co_await lookup->wake.async_wait(use_tuple);
  if (lookup->done) co_return lookup->result;
  lookup->resolver.cancel();
  result.error = asio::error::timed_out;
  if (aborted()) result.error = asio::error::operation_aborted;
  co_return result;
}

}  // namespace berth::net
