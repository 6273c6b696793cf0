#include "gateway/client_connection.h"

#include <algorithm>
#include <optional>

#include "gateway/client_writer.h"
#include "gateway/exchange.h"
#include "inspect/replies.h"
#include "net/deadline.h"

namespace berth::gateway {

ClientConnection::ClientConnection(Worker& worker, net::Stream stream, std::string peer,
                                   const http::ReaderLimits& limits)
    : worker_(worker),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      reader_(stream_, limits) {
  worker_.add(this);
  worker_.shared().connections.fetch_add(1, std::memory_order_relaxed);
}

ClientConnection::~ClientConnection() {
  worker_.shared().connections.fetch_sub(1, std::memory_order_relaxed);
  worker_.remove(this);
}

void ClientConnection::close() {
  stream_.close();
  if (on_close_) on_close_();
}

void ClientConnection::close_if_idle() {
  if (!busy_) stream_.close();
}

namespace {

http::ReaderLimits limits_of(const config::Config& config) {
  http::ReaderLimits limits;
  limits.head_bytes = config.limits.head_bytes;
  limits.body_bytes = config.limits.body_bytes;
  limits.idle = config.timeouts.client_idle;
  limits.head = config.timeouts.client_head;
  limits.body = config.timeouts.client_body;
  limits.whole_body = config.timeouts.client_body_total;
  return limits;
}

// A client that got its connection while the listener was being closed has sent its request, or
// is about to: it is waited for this long.
constexpr Duration kLateRequest = std::chrono::seconds(1);

// Such a connection counts as a request under way from its beginning, so that no drain ends before
// it could send one.
class LateGuest {
 public:
  explicit LateGuest(SharedState& shared) : shared_(shared) { shared_.requests.fetch_add(1); }
  ~LateGuest() { shared_.requests.fetch_sub(1); }
  LateGuest(const LateGuest&) = delete;
  LateGuest& operator=(const LateGuest&) = delete;

 private:
  SharedState& shared_;
};

// A head that cannot be trusted is answered in the plain OpenAI shape and the connection is closed:
// where the next request would begin is anybody's guess.
net::Task<void> refuse_head(ClientConnection* client, const Error* error, const Clock* clock,
                            Duration write_timeout) {
  const int status = client->reader().refusal_status();
  if (status == 0) co_return;
  const http::RequestHead no_request;
  ClientWriter writer(client->stream(), no_request, *clock, write_timeout);
  writer.close_after();
  std::string body = inspect::error_body(inspect::ApiShape::kOpenAiOther, status,
                                         error_code_name(error->code), error->message);
  ExtraHeaders no_extra;
  co_await writer.reply(status, "application/json", std::move(body), std::move(no_extra));
  co_await client->reader().linger();
}

}  // namespace

net::Task<void> serve_connection(Worker* worker, net::Stream stream, std::string peer, bool tls) {
  SharedState& shared = worker->shared();
  std::shared_ptr<const LiveConfig> live = shared.live();
  http::ReaderLimits limits = limits_of(live->config);
  const bool late = shared.draining.load(std::memory_order_relaxed);
  std::optional<LateGuest> guest;
  if (late) {
    guest.emplace(shared);
    limits.idle = std::min(limits.idle, kLateRequest);
  }
  ClientConnection client(*worker, std::move(stream), std::move(peer), limits);
  client.set_busy(late);
  if (shared.connections.load(std::memory_order_relaxed) > live->config.limits.connections) {
    shared.metrics.error(ErrorCode::kOverloaded);
    co_return;  // past limits.connections: closed at once, before it can cost anything
  }
  if (tls) {
    net::Deadline deadline(worker->executor(), [&client] { client.close(); });
    deadline.expires_after(live->config.timeouts.client_head);
    const net::error_code failed = co_await client.stream().handshake_as_server();
    if (failed) co_return;
  }
  for (bool first = true; (first && late) || !shared.draining.load(std::memory_order_relaxed);
       first = false) {
    const bool begun = co_await client.reader().wait_for_request();
    if (!begun) break;
    live = shared.live();  // a reload counts for the next request, not the next connection
    client.reader().set_limits(limits_of(live->config));
    const Result<http::RequestHead> head = co_await client.reader().next_head();
    if (!head) {
      if (head.error().code != ErrorCode::kClientGone) {
        shared.metrics.error(head.error().code);
        co_await refuse_head(&client, &head.error(), &shared.clock,
                             live->config.timeouts.client_write);
      }
      break;
    }
    client.set_busy(true);
    bool usable = false;
    {
      Exchange exchange(*worker, client, *head, live);
      usable = co_await exchange.run();
    }
    client.set_busy(false);
    if (usable) continue;
    if (!client.reader().body_read()) co_await client.reader().linger();
    break;
  }
  co_await client.stream().shutdown();
}

}  // namespace berth::gateway
