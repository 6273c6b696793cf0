#include "sim_http/load.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <utility>

#include "http/exchange.h"
#include "sim/random.h"
#include "sim_http/answer_reader.h"
#include "sim_http/history.h"

namespace berth::sim_http {
namespace {

using SteadyClock = std::chrono::steady_clock;

// As WorldSettings: between client and gateway, there and back.
constexpr double kRoundTrip = 0.140;
constexpr double kJitter = 0.020;
// As WorldSettings::stagger.
constexpr double kStagger = 1;

http::ClientRequest chat(std::string body, std::string header, std::string value) {
  http::ClientRequest request;
  request.method = "POST";
  request.path = "/v1/chat/completions";
  request.headers = {{"content-type", "application/json"}, {std::move(header), std::move(value)}};
  request.body = std::move(body);
  request.timeout = std::chrono::minutes(10);
  return request;
}

// The sum over the ranks of one counter of a page of metrics.
std::uint64_t sum_of(std::string_view page, std::string_view name) {
  double sum = 0;
  for (std::size_t at = page.find(name); at != std::string_view::npos; at = page.find(name, at)) {
    const std::size_t end = std::min(page.find('\n', at), page.size());
    const std::string_view line = page.substr(at, end - at);
    at = end;
    const std::size_t space = line.rfind(' ');
    if (!line.substr(name.size()).starts_with('{') || space == std::string_view::npos) continue;
    double value = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), value);
    sum += value;
  }
  return static_cast<std::uint64_t>(sum);
}

}  // namespace

Load::Load(net::asio::io_context& io, LoadSettings settings)
    : io_(io),
      settings_(std::move(settings)),
      workload_(sim::AgentSessionSettings{}),
      network_(settings_.seed),
      stage_seed_(sim::stage_seed(settings_.seed, settings_.sessions)),
      window_(io.get_executor()) {}

net::Task<void> Load::pause(double model_seconds) {
  const std::chrono::duration<double> real(model_seconds / settings_.time_scale);
  net::Timer timer(io_.get_executor());
  timer.expires_after(std::chrono::duration_cast<SteadyClock::duration>(real));
  co_await timer.async_wait(net::use_tuple);
}

double Load::one_way_s() { return kRoundTrip / 2 + network_.uniform(-kJitter / 2, kJitter / 2); }

bool Load::over() const { return SteadyClock::now() >= end_ || !failure_; }

net::Task<Result<void>> Load::warm_up() {
  for (std::uint32_t rank = 0; rank < settings_.ranks; ++rank) {
    http::ClientRequest request = chat(warming_request(settings_.model, workload_.shared_tokens()),
                                       "x-data-parallel-rank", std::to_string(rank));
    const auto answer = co_await http::fetch(settings_.engine, std::move(request), nullptr);
    if (!answer) co_return tl::unexpected<Error>(answer.error());
    if (answer->status != 200) {
      co_return fail(ErrorCode::kUpstreamBadResponse, "warming up: " + answer->body);
    }
  }
  co_return Result<void>{};
}

net::Task<Result<Counters>> Load::counters() {
  http::ClientRequest request;
  request.path = "/metrics";
  const auto page = co_await http::fetch(settings_.engine, std::move(request), nullptr);
  if (!page) co_return tl::unexpected<Error>(page.error());
  Counters all;
  all.queries = sum_of(page->body, "vllm:prefix_cache_queries_total");
  all.hits = sum_of(page->body, "vllm:prefix_cache_hits_total");
  all.generated = sum_of(page->body, "vllm:generation_tokens_total");
  co_return all;
}

// The text of the answer. `id` names the session.
net::Task<Result<std::string>> Load::turn(std::string id, std::string body, sim::TurnPlan plan) {
  const auto sent = SteadyClock::now();
  co_await pause(one_way_s());
  http::ClientRequest request = chat(std::move(body), "x-claude-code-session-id", id);
  auto begun = co_await http::Exchange::begin(settings_.gateway, std::move(request), nullptr);
  if (!begun) co_return tl::unexpected<Error>(begun.error());
  AnswerReader reader;
  std::string piece;
  for (;;) {
    const Result<bool> more = co_await (*begun)->read(piece);
    if (!more) co_return tl::unexpected<Error>(more.error());
    if (!*more) break;
    if (!reader.feed(piece) || over()) continue;
    const std::chrono::duration<double> waited = SteadyClock::now() - sent;
    result_.ttfb_s.push_back(waited.count() * settings_.time_scale + one_way_s());
  }
  const int status = (*begun)->head().status;
  if (status != 200 || !reader.ended() || reader.prompt_tokens() != plan.prompt_tokens ||
      reader.output_tokens() != plan.output_tokens) {
    co_return fail(
        ErrorCode::kUpstreamBadResponse,
        fmt::format("session {}: status {}, {} prompt and {} output tokens where {} and {} were "
                    "planned{}",
                    id, status, reader.prompt_tokens(), reader.output_tokens(), plan.prompt_tokens,
                    plan.output_tokens, reader.ended() ? "" : ", and the answer broke off"));
  }
  if (!over()) ++result_.turns;
  co_await pause(one_way_s());
  co_return reader.text();
}

net::Task<Result<void>> Load::session() {
  const std::uint64_t number = next_session_++;
  sim::Random random = sim::session_random(stage_seed_, number);
  const sim::ConversationPlan plan = workload_.draw({number, stage_seed_, false}, random);
  const std::string id = fmt::format("{:016x}", random.next());
  History history(workload_.shared_tokens(), random.next());
  for (const sim::TurnPlan& next : plan.turns) {
    if (&next != &plan.turns.front()) co_await pause(to_seconds(next.gap));
    if (over()) break;
    auto answer = co_await turn(id, history.request(settings_.model, next), next);
    if (!answer) co_return tl::unexpected<Error>(answer.error());
    history.add_answer(std::move(*answer));
  }
  co_return Result<void>{};
}

net::Task<void> Load::client(std::uint32_t slot) {
  const double share = static_cast<double>(slot) / settings_.sessions;
  co_await pause(kStagger * share);
  while (!over()) {
    Result<void> done = co_await session();
    if (done || !failure_) continue;
    failure_ = std::move(done);
    window_.cancel();
  }
}

net::Task<Result<LoadResult>> Load::run() {
  if (auto warm = co_await warm_up(); !warm) co_return tl::unexpected<Error>(warm.error());
  const auto before = co_await counters();
  if (!before) co_return tl::unexpected<Error>(before.error());
  const std::chrono::duration<double> time(settings_.minutes * 60 / settings_.time_scale);
  end_ = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(time);
  window_.expires_at(end_);
  for (std::uint32_t slot = 0; slot < settings_.sessions; ++slot) {
    net::asio::co_spawn(io_, client(slot), net::asio::detached);
  }
  co_await window_.async_wait(net::use_tuple);
  if (!failure_) co_return tl::unexpected<Error>(failure_.error());
  const auto after = co_await counters();
  if (!after) co_return tl::unexpected<Error>(after.error());
  result_.counters = {after->queries - before->queries, after->hits - before->hits,
                      after->generated - before->generated};
  co_return std::move(result_);
}

}  // namespace berth::sim_http
