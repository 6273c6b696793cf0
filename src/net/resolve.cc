#include "net/resolve.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

namespace berth::net {
namespace {

// Shared between the waiting coroutine and an answer that is under way to it.
struct Awaited {
  explicit Awaited(const Executor& executor) : wake(executor) {}
  Timer wake;
  bool done = false;
  Addresses answer;
};

NameCache::Waiting ask(NameCache& names, const std::string& host, const Executor& executor,
                       const std::shared_ptr<Awaited>& awaited) {
  return names.look_up(host, [awaited, executor](const Addresses& answer) {
    asio::post(executor, [awaited, answer] {
      awaited->done = true;
      awaited->answer = answer;
      awaited->wake.cancel();
    });
  });
}

std::vector<tcp::endpoint> endpoints(const std::vector<asio::ip::address>& found,
                                     std::uint16_t port) {
  std::vector<tcp::endpoint> out;
  for (const asio::ip::address& address : found) out.emplace_back(address, port);
  return out;
}

}  // namespace

Task<Resolved> resolve(std::string host, std::uint16_t port, Instant deadline, Abort* abort,
                       NameCache* names) {
  Resolved result;
  error_code not_literal;
  const auto address = asio::ip::make_address(host, not_literal);
  if (!not_literal) {
    result.endpoints.emplace_back(address, port);
    co_return result;
  }
  const NameCache::Known known = names->known(host);
  if (known.fresh) {
    result.endpoints = endpoints(known.found, port);
    co_return result;
  }

  const auto executor = co_await asio::this_coro::executor;
  const auto awaited = std::make_shared<Awaited>(executor);
  const Instant patient = std::chrono::steady_clock::now() + kLookUpPatience;
  awaited->wake.expires_at(known.found.empty() ? deadline : std::min(deadline, patient));
  const NameCache::Waiting waiting = ask(*names, host, executor, awaited);
  const AbortScope scope(abort, [awaited] { awaited->wake.cancel(); });
  const auto aborted = [abort] { return abort != nullptr && abort->aborted(); };
  // Somebody may have aborted before there was anything to wake.
  if (!awaited->done && !aborted()) co_await awaited->wake.async_wait(use_tuple);
  if (aborted()) {
    result.error = asio::error::operation_aborted;
  } else if (std::chrono::steady_clock::now() >= deadline) {
    result.error = asio::error::timed_out;
  } else if (awaited->done) {
    result.error = awaited->answer.error;
    result.endpoints = endpoints(awaited->answer.found, port);
  } else {
    result.endpoints = endpoints(known.found, port);
  }
  co_return result;
}

}  // namespace berth::net
