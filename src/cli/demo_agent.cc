#include "cli/demo_agent.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/demo_reply.h"
#include "http/exchange.h"

namespace berth::cli {
namespace {

http::ClientRequest request_of(DemoConversation& conversation) {
  http::ClientRequest request;
  request.method = "POST";
  request.path = "/v1/messages";
  request.headers = {{"content-type", "application/json"},
                     {"anthropic-version", "2023-06-01"},
                     {"authorization", "Bearer demo"},
                     {"x-claude-code-session-id", conversation.session()}};
  request.body = conversation.next_request();
  request.timeout = std::chrono::minutes(10);
  return request;
}

}  // namespace

DemoAgent::DemoAgent(std::uint32_t number, http::Url gateway, DemoConversation conversation,
                     const Clock& clock)
    : number_(number),
      gateway_(std::move(gateway)),
      conversation_(std::move(conversation)),
      clock_(clock) {}

net::Task<Result<DemoTurn>> DemoAgent::turn() {
  const Instant sent = clock_.now();
  auto begun = co_await http::Exchange::begin(gateway_, request_of(conversation_), nullptr);
  if (!begun)
    co_return fail(begun.error().code, fmt::format("agent {}: {}", number_, begun.error().message));
  http::Exchange& exchange = **begun;
  DemoTurn turn;
  turn.agent = number_;
  turn.number = conversation_.turns();
  turn.session = conversation_.session();
  turn.outcome = exchange.head().headers.get("x-berth-outcome");
  turn.replica = exchange.head().headers.get("x-berth-replica");
  DemoReply reply;
  std::string piece;
  for (;;) {
    const Result<bool> more = co_await exchange.read(piece);
    if (!more)
      co_return fail(more.error().code, fmt::format("agent {}: {}", number_, more.error().message));
    if (!*more) break;
    if (reply.feed(piece)) turn.first_token = clock_.now() - sent;
  }
  if (exchange.head().status != 200 || !reply.ended()) {
    co_return fail(
        ErrorCode::kUpstreamBadResponse,
        fmt::format("agent {}: status {}, and the answer {}: {}", number_, exchange.head().status,
                    reply.ended() ? "is whole" : "broke off", reply.error()));
  }
  turn.prompt_tokens = reply.prompt_tokens().value_or(0);
  turn.cached_tokens = reply.cached_tokens();
  conversation_.add_answer(reply.text());
  co_return turn;
}

}  // namespace berth::cli
