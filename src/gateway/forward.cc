// The phases from routing on: choose a replica, connect, send, relay, and the one retry that is
// safe.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gateway/credible_usage.h"
#include "gateway/exchange.h"
#include "gateway/identify_request.h"
#include "gateway/refusals.h"
#include "inspect/replies.h"
#include "net/connect.h"
#include "routing/fault_guard.h"

namespace berth::gateway {

namespace {

// Headers by which a client could steer what only Berth decides, or that an upstream component
// would obey.
constexpr std::array<std::string_view, 4> kControlHeaders{
    "x-data-parallel-rank", "x-prefiller-host-port", "x-smg-target-worker",
    "x-dynamo-session-final"};
constexpr std::string_view kRankHeader = "X-data-parallel-rank";

// A retry makes the same edits again; the log names each once.
void note_edit(std::vector<std::string>& edits, std::string_view name) {
  if (std::find(edits.begin(), edits.end(), name) == edits.end()) edits.emplace_back(name);
}

}  // namespace

net::Task<void> Exchange::forward() {
  IdentifyInputs inputs;
  inputs.head = &head_;
  inputs.endpoint = endpoint_;
  inputs.body = &facts_;
  inputs.rules = &live_->rules;
  inputs.tenant = record_.tenant;
  inputs.upstream_model = upstream_model_;
  inputs.servers = servers_;
  inputs.body_bytes = body_.size();
  inputs.hash = &shared_.hash;
  routing_facts_ = identify_request(inputs, *model_, shared_.clock.now());
  record_.identity = std::string(routing::identity_source_name(routing_facts_.identity));
  if (routing_facts_.conversation && !live_->config.access_log.empty()) {
    record_.conversation = KeyedHash::hex(routing_facts_.hashes.conversation);
  }
  if (client_gone_) {
    Error error{ErrorCode::kClientGone, "the client left before dispatch"};
    co_await refuse(std::move(error));
    co_return;
  }
  edit_body();  // before there is a ticket: it copies the body
  const routing::Decision decision = model_->with_router([this](routing::ModelRouter& router) {
    return router.on_request(routing_facts_, shared_.clock.now());
  });
  if (const auto* refused = std::get_if<routing::Refused>(&decision)) {
    counted_ = true;
    record_.outcome = std::string(routing::outcome_name(routing::Outcome::kRefused));
    Error error{ErrorCode::kNoReplica, refused->why};
    co_await refuse(std::move(error), refused->retry_after_s);
    co_return;
  }
  co_await try_replicas(std::get<routing::Dispatch>(decision));
}

net::Task<void> Exchange::try_replicas(routing::Dispatch dispatch) {
  Model::Destination destination = model_->destination(dispatch);
  in_flight_ = InFlight(model_, destination.server, dispatch.ticket, &shared_.clock);
  dispatched_ = counted_ = true;
  record_.queue = shared_.clock.now() - whole_at_;
  note_dispatch(dispatch, destination);
  // Set once bytes of the request were written in vain. It is then sent once more, to the same
  // replica on a new connection; if that cannot be had it ends here, for another replica may have
  // it only when the first provably did not start.
  bool resent = false;
  for (;;) {
    const Attempt result = co_await attempt(destination, resent);
    if (result == Attempt::kAnswered) co_return;
    if (client_gone_) {  // nobody waits for a second attempt
      answered_gone();
      co_return;
    }
    if (attempt_error_->source() == ErrorSource::kSelf) {
      in_flight_.refused();  // this machine's trouble says nothing about the replica
      dispatched_ = false;
      record_.outcome = std::string(routing::outcome_name(routing::Outcome::kRefused));
      co_await refuse(std::move(*attempt_error_));
      co_return;
    }
    if (resent) {
      co_await refuse(std::move(*attempt_error_));
      co_return;
    }
    if (result == Attempt::kStale) {
      resent = record_.retried = true;
      shared_.metrics.retry(model_->name(), destination.label);
      continue;
    }
    const routing::Decision decision = in_flight_.not_started();
    if (const auto* refused = std::get_if<routing::Refused>(&decision)) {
      record_.outcome = std::string(routing::outcome_name(routing::Outcome::kRefused));
      co_await refuse(std::move(*attempt_error_), refused->retry_after_s);
      co_return;
    }
    record_.retried = true;
    shared_.metrics.retry(model_->name(), destination.label);
    dispatch = std::get<routing::Dispatch>(decision);
    destination = model_->destination(dispatch);
    in_flight_.moved_to(destination.server);
    note_dispatch(dispatch, destination);
  }
}

void Exchange::note_dispatch(const routing::Dispatch& dispatch,
                             const Model::Destination& destination) {
  outcome_ = dispatch.outcome;
  reason_ = dispatch.reason;
  record_.replica = destination.label;
  record_.outcome = std::string(routing::outcome_name(dispatch.outcome));
  record_.reason = std::string(routing::reason_name(dispatch.reason));
  if (destination.rank) note_edit(record_.edits, "rank");
  const bool credential = !destination.server->api_key.empty() || live_->auth.required();
  if (credential) note_edit(record_.edits, "credential");
}

net::Task<Exchange::Attempt> Exchange::attempt(Model::Destination destination, bool fresh) {
  Result<std::shared_ptr<UpstreamConnection>> connected = co_await connect(&destination, fresh);
  if (client_gone_) {
    if (connected) worker_.pool().put(std::move(*connected), shared_.clock.now());
    co_return answered_gone();
  }
  if (!connected) {
    if (connected.error().source() == ErrorSource::kUpstream) {
      shared_.unreachable.tell(destination.server->index);
    }
    attempt_error_ = std::move(connected.error());
    co_return Attempt::kNotStarted;
  }
  upstream_ = std::move(*connected);
  sent_ = true;
  sent_at_ = shared_.clock.now();
  // A server may answer and close before it has read the whole body, so a failed write is not yet
  // the end: what the relay then reads, or does not, decides.
  const bool stalled = co_await send(&destination);
  if (stalled) {
    // Our own deadline closed the connection: that is no stale connection, and no reason to send it
    // again.
    upstream_.reset();
    Error error{ErrorCode::kUpstreamTimeout, "the replica did not read the request in time"};
    co_await refuse(std::move(error));
    co_return Attempt::kAnswered;
  }
  co_return co_await relay(&destination);
}

net::Task<Result<std::shared_ptr<UpstreamConnection>>> Exchange::connect(
    const Model::Destination* destination, bool fresh) {
  const std::shared_ptr<UpstreamServer>& server = destination->server;
  const config::Timeouts& timeouts = live_->config.timeouts;
  if (!fresh) {
    std::shared_ptr<UpstreamConnection> pooled =
        worker_.pool().take(*server, timeouts.upstream_pool_idle, shared_.clock.now());
    if (pooled) {
      server->counts->reuses.fetch_add(1, std::memory_order_relaxed);
      co_return pooled;
    }
  }
  net::ConnectTarget target;
  target.host = server->url.host;
  target.port = server->url.port;
  target.tls = server->tls.get();
  Result<net::Stream> stream =
      co_await net::connect(std::move(target), timeouts.upstream_connect, &connecting_);
  if (!stream) co_return tl::unexpected(stream.error());
  server->counts->connects.fetch_add(1, std::memory_order_relaxed);
  co_return std::make_shared<UpstreamConnection>(std::move(*stream), server);
}

// True when the server did not take the request within timeouts.upstream_idle; it is closed then.
net::Task<bool> Exchange::send(const Model::Destination* destination) {
  const std::string head = upstream_head(*destination);
  const std::array<net::asio::const_buffer, 2> pieces{net::asio::buffer(head),
                                                      net::asio::buffer(body_)};
  const std::shared_ptr<UpstreamConnection> connection = upstream_;
  net::Deadline deadline(worker_.executor(), [connection] { connection->close(); });
  deadline.expires_after(live_->config.timeouts.upstream_idle);
  co_await connection->stream().write_all(pieces);
  co_return deadline.expired();
}

std::string Exchange::upstream_head(const Model::Destination& destination) const {
  const UpstreamServer& server = *destination.server;
  std::vector<std::string_view> drop(kControlHeaders.begin(), kControlHeaders.end());
  std::vector<http::Header> set;
  const std::string bearer = "Bearer " + server.api_key;
  // A client's key for Berth is no business of the engine's.
  if (!server.api_key.empty() || live_->auth.required()) {
    drop.emplace_back("authorization");
    drop.emplace_back("x-api-key");
  }
  if (!server.api_key.empty()) set.push_back({"Authorization", bearer});
  const std::string rank = destination.rank ? fmt::format("{}", *destination.rank) : std::string();
  if (destination.rank) set.push_back({kRankHeader, rank});
  http::HeadEdits edits;
  edits.drop = drop;
  edits.set = set;
  std::string out;
  const std::string target = server.url.prefix + std::string(head_.target);
  http::write_request_head(out, head_, target, server.url.authority(), body_.size(), edits);
  return out;
}

void Exchange::edit_body() {
  std::vector<inspect::Splice> splices;
  const bool allowed = live_->config.body_edits == config::BodyEdits::kOn;
  if (allowed && facts_.model_value && upstream_model_ != facts_.model) {
    splices.push_back(inspect::splice_model(facts_, upstream_model_));
    record_.edits.emplace_back("model");
  }
  if (allowed && inspect::lacks_usage_chunk(*endpoint_, facts_)) {
    splices.push_back(inspect::splice_include_usage(facts_, body_));
    record_.edits.emplace_back("include_usage");
    usage_added_ = true;
  }
  const bool salted = live_->config.cache_salt_per_tenant && live_->auth.required() &&
                      endpoint_->has_conversation && shape() != inspect::ApiShape::kAnthropic &&
                      !facts_.has_cache_salt;
  if (allowed && salted) {
    splices.push_back(
        inspect::splice_cache_salt(facts_, shared_.hash.hex("salt " + record_.tenant)));
    record_.edits.emplace_back("cache_salt");
  }
  if (!splices.empty()) body_ = inspect::apply(body_, std::move(splices));
}

net::Task<Exchange::Attempt> Exchange::relay(const Model::Destination* destination) {
  const std::shared_ptr<UpstreamConnection> connection = upstream_;
  RelayEvents events;
  events.on_head = [this] { release_body(); };
  events.on_prefill = [this] { in_flight_.first_byte(); };
  ResponseRelay relay(shared_.clock, *connection, writer_, wakeup_, client_gone_,
                      relay_options(*destination), std::move(events));
  relay_ = &relay;
  const RelayResult result = co_await relay.run();
  relay_ = nullptr;
  upstream_.reset();
  if (result.end == RelayEnd::kNoByte) {
    attempt_error_ = result.error;
    const bool at_once = shared_.clock.now() - sent_at_ < kStaleWithin;
    if (connection->reused && at_once && !client_gone_) co_return Attempt::kStale;
    co_await refuse(*result.error);
    co_return Attempt::kAnswered;
  }
  if (result.connection_reusable) worker_.pool().put(connection, shared_.clock.now());
  settle(result);
  if (result.end == RelayEnd::kClientGone) co_return answered_gone();
  if (result.end == RelayEnd::kBroken && !writer_.started()) co_await refuse(*result.error);
  co_return Attempt::kAnswered;
}

// Once the replica answers there is no second attempt, and a stream may last for minutes: its
// request need not lie in memory all that time.
void Exchange::release_body() {
  body_ = std::string();
  body_share_ = BodyBudget::Share();
}

Exchange::Attempt Exchange::answered_gone() {
  client_gone_ = true;
  record_.error = std::string(error_code_name(ErrorCode::kClientGone));
  shared_.metrics.error(ErrorCode::kClientGone);
  writer_.close_after();
  if (sent_) {
    in_flight_ = InFlight();
    return Attempt::kAnswered;
  }
  in_flight_.abandoned();
  dispatched_ = false;
  record_.outcome = std::string(routing::outcome_name(routing::Outcome::kAbandoned));
  record_.reason.clear();
  record_.replica.clear();
  return Attempt::kAnswered;
}

// Gives the router and the log what the response told.
void Exchange::settle(const RelayResult& result) {
  if (result.status != 0 && result.status != writer_.status()) {
    record_.upstream_status = static_cast<std::uint64_t>(result.status);
  }
  const routing::Usage usage = credible_usage(result.tap);
  record_.prompt_tokens = usage.prompt_tokens;
  record_.cached_tokens = usage.cached_tokens;
  record_.output_tokens = usage.output_tokens;
  if (result.first_content) record_.ttfb = *result.first_content - whole_at_;
  if (result.keep_alives > 0) {
    record_.edits.emplace_back("keep_alive");
    metrics_->keep_alives->add(result.keep_alives);
  }
  if (result.usage_removed) record_.edits.emplace_back("usage_chunk_removed");
  if (result.end == RelayEnd::kClientGone) return;
  if (result.error) {
    record_.error = std::string(error_code_name(result.error->code));
    if (writer_.started()) shared_.metrics.error(result.error->code);
  }
  routing::Finish finish;
  // Without a head of the server's the client gets, or would get, Berth's own status.
  finish.status = result.status;
  if (finish.status == 0 && result.error) finish.status = inspect::http_status(result.error->code);
  finish.usage = {record_.prompt_tokens, record_.cached_tokens, record_.output_tokens};
  finish.complete = result.end == RelayEnd::kWhole;
  if (result.tap.stream_error) judge_stream_error(result, finish);
  in_flight_.finish(finish);
}

// vLLM tells its own trouble and a client's mistake alike inside a 200 stream. Only what says to be
// the server's is its fault; before the prompt was read it is as if the status had been sent.
void Exchange::judge_stream_error(const RelayResult& result, routing::Finish& finish) {
  constexpr int kBadRequest = 400;
  const int status = result.tap.error_status.value_or(kBadRequest);
  if (!result.prefilled) {
    finish.status = status;
  } else if (routing::is_fault(status, true)) {
    finish.complete = false;
  }
}

ExtraHeaders Exchange::response_headers(const Model::Destination& destination) const {
  const auto queue_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(record_.queue).count();
  return {request_id_header(),
          {"x-berth-replica", destination.label},
          {"x-berth-outcome", std::string(routing::outcome_name(outcome_))},
          {"x-berth-queue-ms", fmt::format("{}", queue_ms)}};
}

RelayOptions Exchange::relay_options(const Model::Destination& destination) const {
  const config::Timeouts& timeouts = live_->config.timeouts;
  RelayOptions options;
  options.shape = shape();
  options.model = facts_.model.empty() ? upstream_model_ : facts_.model;
  options.stream = facts_.stream;
  options.remove_usage_chunk = usage_added_;
  options.keep_alive_after = timeouts.keep_alive_after;
  options.first_byte_timeout = timeouts.upstream_first_byte;
  options.idle_timeout = timeouts.upstream_idle;
  options.extra = response_headers(destination);
  options.request_id = record_.id;
  return options;
}

}  // namespace berth::gateway
