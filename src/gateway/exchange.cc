// The phases before routing, and the log line. forward.cc has the rest.
#include "gateway/exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/identify_request.h"
#include "gateway/local_answers.h"
#include "gateway/refusals.h"
#include "inspect/replies.h"

namespace berth::gateway {

namespace {

constexpr std::size_t kMaxLoggedMethod = 32;
constexpr std::size_t kMaxLoggedPath = 1024;

// The client's own id where it is fit for a log, else one of ours.
std::string request_id(const http::Headers& headers, SharedState& shared) {
  const std::string_view sent = headers.get("x-request-id");
  constexpr std::size_t kMaxBytes = 128;
  const bool plain =
      !sent.empty() && sent.size() <= kMaxBytes &&
      std::all_of(sent.begin(), sent.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (plain) return std::string(sent);
  // Odd multiplier: consecutive numbers give ids that look unrelated, and none comes twice.
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;
  return fmt::format("{:016x}", shared.request_base + shared.request_count.fetch_add(1) * kSpread);
}

}  // namespace

Exchange::Exchange(Worker& worker, ClientConnection& client, const http::RequestHead& head,
                   std::shared_ptr<const LiveConfig> live)
    : worker_(worker),
      shared_(worker.shared()),
      client_(client),
      head_(head),
      live_(std::move(live)),
      writer_(client.stream(), head, shared_.clock, live_->config.timeouts.client_write),
      wakeup_(worker.executor()),
      started_(shared_.clock.now()) {
  shared_.requests.fetch_add(1);
  record_.at = shared_.clock.wall();
  record_.id = request_id(head.headers, shared_);
  // Cut here, so that a full ring of log lines stays small whatever clients send.
  record_.method = std::string(head.method.substr(0, kMaxLoggedMethod));
  record_.path = std::string(head.path().substr(0, kMaxLoggedPath));
  if (shared_.draining.load(std::memory_order_relaxed)) writer_.close_after();
  client_.reader().on_gone([this] { on_client_gone(); });
  client_.on_close([this] { on_client_gone(); });
}

Exchange::~Exchange() {
  client_.on_close({});
  client_.reader().on_gone({});
  if (upstream_) upstream_->detach();
  shared_.requests.fetch_sub(1);
}

net::Task<bool> Exchange::run() {
  const bool local = co_await answer_locally();
  if (!local) {
    const Result<void> admitted = co_await admit();
    if (admitted) {
      co_await forward();
    } else {
      co_await refuse(admitted.error());
    }
  }
  write_log_line();
  if (writer_.must_reset()) client_.stream().reset();
  if (shared_.draining.load(std::memory_order_relaxed)) co_return false;
  co_return writer_.connection_usable() && !client_.reader().gone();
}

inspect::ApiShape Exchange::shape() const {
  return endpoint_ != nullptr ? endpoint_->shape : shape_of_unknown_path(head_.path());
}

// A client that brings no id of its own can name its request by this one.
ExtraHeaders::value_type Exchange::request_id_header() const {
  return {"x-berth-request-id", record_.id};
}

net::Task<bool> Exchange::answer_locally() {
  endpoint_ = head_.method == "POST" ? inspect::find_endpoint(head_.path()) : nullptr;
  if (endpoint_ != nullptr) co_return false;
  LocalAnswer answer = local_answer(head_, live_->auth, shared_.models, shared_.started);
  if (answer.error) {
    record_.error = std::string(error_code_name(*answer.error));
    shared_.metrics.error(*answer.error);
  }
  answer.headers.push_back(request_id_header());
  // A body nobody asked for would be taken for the next request's head.
  if (head_.framing != http::BodyFraming::kNone) writer_.close_after();
  co_await writer_.reply(answer.status, answer.content_type, std::move(answer.body),
                         answer.headers);
  co_return true;
}

net::Task<Result<void>> Exchange::admit() {
  Result<std::string> tenant = live_->auth.tenant_of(head_.headers);
  if (!tenant) co_return tl::unexpected(tenant.error());
  record_.tenant = *tenant;
  if (!head_.headers.get("content-encoding").empty() &&
      head_.headers.get("content-encoding") != "identity") {
    co_return fail(ErrorCode::kUnsupported,
                   "request bodies with a Content-Encoding are not supported");
  }
  Result<void> received = co_await receive_body();
  if (!received) co_return received;
  whole_at_ = shared_.clock.now();
  if (Result<void> inspected = inspect_body(); !inspected) co_return inspected;
  co_return resolve_model();
}

net::Task<Result<void>> Exchange::receive_body() {
  body_share_ = BodyBudget::Share(shared_.bodies);
  const http::BodyGrant grant = [this](std::size_t bytes) { return body_share_.grow_to(bytes); };
  Result<void> read = co_await client_.reader().read_body(body_, inspect::kPadding, &grant);
  if (!read && read.error().code == ErrorCode::kOverloaded) {
    co_return fail(ErrorCode::kOverloaded,
                   "the requests being read fill limits.body_bytes_in_memory; try again");
  }
  if (!read) co_return read;
  record_.bytes_in = body_.size();
  co_return Result<void>{};
}

Result<void> Exchange::inspect_body() {
  Result<inspect::BodyFacts> facts = inspect::read_body_facts(*endpoint_, body_);
  if (!facts) return tl::unexpected(facts.error());
  facts_ = std::move(*facts);
  return {};
}

Result<void> Exchange::resolve_model() {
  if (facts_.model.empty()) {
    // vLLM takes a missing model for its own; with one model that is what is meant.
    model_ = shared_.models.only();
    if (!model_)
      return fail(ErrorCode::kUnknownModel,
                  "the request names no model, and more than one is served");
    upstream_model_ = model_->name();
  } else if (auto resolved = shared_.models.resolve(facts_.model)) {
    model_ = resolved->model;
    upstream_model_ = resolved->upstream_name;
    servers_ = std::move(resolved->servers);
  } else {
    return unknown_model(facts_.model, shared_.models);
  }
  record_.model = model_->name();
  metrics_ = shared_.metrics.model(model_->name());
  return {};
}

net::Task<void> Exchange::refuse(Error error, std::optional<std::uint32_t> retry_after_s) {
  record_.error = std::string(error_code_name(error.code));
  shared_.metrics.error(error.code);
  const bool gone = client_gone_ || error.code == ErrorCode::kClientGone;
  if (!counted_ && model_) {
    const auto outcome = gone ? routing::Outcome::kAbandoned : routing::Outcome::kRefused;
    model_->with_router(
        [&](routing::ModelRouter& router) { router.count_without_dispatch(outcome); });
    counted_ = true;
    record_.outcome = std::string(routing::outcome_name(outcome));
  } else if (!counted_) {
    const auto outcome = gone ? routing::Outcome::kAbandoned : routing::Outcome::kRefused;
    shared_.metrics.without_model(outcome);
    counted_ = true;
    record_.outcome = std::string(routing::outcome_name(outcome));
  }
  if (gone) {
    writer_.close_after();
    co_return;
  }
  const int status = inspect::http_status(error.code);
  if (in_flight_.open()) in_flight_.finish(routing::Finish{status, {}, false});
  const bool body_unread = head_.framing != http::BodyFraming::kNone && whole_at_ == Instant{};
  if (body_unread) writer_.close_after();
  ExtraHeaders headers{request_id_header()};
  if (!retry_after_s) retry_after_s = retry_after_of(error.code);
  if (retry_after_s)
    headers.emplace_back("retry-after", fmt::format("{}", std::clamp(*retry_after_s, 1u, 60u)));
  std::string body =
      inspect::error_body(shape(), status, error_code_name(error.code), error.message, record_.id);
  co_await writer_.reply(status, "application/json", std::move(body), std::move(headers));
}

void Exchange::on_client_gone() {
  client_gone_ = true;
  // Closing the upstream connection is how vLLM learns to abort and to free the KV blocks.
  const bool ended = relay_ != nullptr && relay_->end_passed();
  if (upstream_ && !ended) {
    upstream_->close();
    client_.stream().close();  // ends a write that a half-closed client does not take
  }
  connecting_.abort();
  wakeup_.notify();
}

void Exchange::write_log_line() {
  const Instant now = shared_.clock.now();
  record_.total = now - started_;
  record_.bytes_out = writer_.body_bytes();
  record_.status = writer_.status();
  if (model_) {
    metrics_->duration->observe(to_seconds(record_.total));
    const auto status_class = static_cast<std::size_t>(record_.status / 100);
    metrics_->responses[status_class < metrics_->responses.size() ? status_class : 0]->add();
    metrics_->bytes_in->add(record_.bytes_in);
    metrics_->bytes_out->add(record_.bytes_out);
    if (reason_) metrics_->decisions.at(static_cast<std::size_t>(*reason_))->add();
    if (dispatched_) metrics_->queue->observe(to_seconds(record_.queue));
    if (record_.ttfb) metrics_->ttfb->observe(to_seconds(*record_.ttfb));
  }
  live_->log->write(std::move(record_));
}

}  // namespace berth::gateway
