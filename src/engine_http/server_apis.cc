// What the server says of itself.
//
// Source: vllm/entrypoints/serve (health, load, version, metrics), openai/models/serving.py.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine_http/answer.h"
#include "engine_http/exposition.h"
#include "engine_http/handlers.h"
#include "engine_http/read_fields.h"
#include "engine_http/watched_responder.h"

namespace berth::engine_http {
namespace {

// The release whose behaviour is imitated; the suffix keeps it from being taken for the real one.
constexpr std::string_view kVersion = "0.26.0+berth";

OrderedJson model_card(EngineCore& core, const std::string& name) {
  OrderedJson permission;
  permission["id"] = core.new_id("modelperm-");
  permission["object"] = "model_permission";
  permission["created"] = core.started_at;
  permission["allow_create_engine"] = false;
  permission["allow_sampling"] = true;
  permission["allow_logprobs"] = true;
  permission["allow_search_indices"] = false;
  permission["allow_view"] = true;
  permission["allow_fine_tuning"] = false;
  permission["organization"] = "*";
  permission["group"] = nullptr;
  permission["is_blocking"] = false;
  OrderedJson card;
  card["id"] = name;
  card["object"] = "model";
  card["created"] = core.started_at;
  card["owned_by"] = "vllm";
  card["root"] = core.options.models.front();
  card["parent"] = nullptr;
  card["max_model_len"] = core.max_model_len();
  card["permission"] = OrderedJson::array({std::move(permission)});
  return card;
}

// {"plan": "refuse-529", "times": 3}
ApiResult<std::string> queue_faults(const Call& call) {
  const ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  const Result<FaultPlan> plan = parse_fault_plan(string_member(*body, "plan"));
  if (!plan) return bad_request(plan.error().message);
  const auto times = read_count(*body, "times");
  if (!times) return tl::unexpected<ApiError>(times.error());
  const std::uint64_t count = std::min<std::uint64_t>(times->value_or(1), kMostQueuedFaults);
  call.core->faults.push(*plan, static_cast<std::uint32_t>(count));
  return std::string("{}");
}

std::string metrics_text(EngineCore& core) {
  core.metrics.settle();
  const std::vector<engine::RankStats> stats = core.driver.stats();
  const std::chrono::duration<double> since_1970 =
      std::chrono::system_clock::now().time_since_epoch();
  return exposition({.model_name = core.options.models.front(),
                     .spec = core.options.spec,
                     .stats = stats,
                     .requests = core.metrics,
                     .prefix_counters = core.options.prefix_counters,
                     .unix_seconds = since_1970.count()});
}

}  // namespace

net::Task<void> handle_models(Call& call) {
  OrderedJson body;
  body["object"] = "list";
  body["data"] = OrderedJson::array();
  for (const std::string& name : call.core->options.models) {
    body["data"].push_back(model_card(*call.core, name));
  }
  co_await answer_json(call, 200, dump(body));
}

net::Task<void> handle_health(Call& call) { co_await call.responder->reply(200, "", ""); }

net::Task<void> handle_metrics(Call& call) {
  std::string text = metrics_text(*call.core);
  co_await call.responder->reply(200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
}

net::Task<void> handle_version(Call& call) {
  co_await answer_json(call, 200, fmt::format("{{\"version\":\"{}\"}}", kVersion));
}

net::Task<void> handle_load(Call& call) {
  co_await answer_json(call, 200,
                       fmt::format("{{\"server_load\":{}}}", call.core->in_flight.load()));
}

net::Task<void> handle_faults(Call& call) {
  ApiResult<std::string> queued = queue_faults(call);
  if (queued) {
    co_await answer_json(call, 200, std::move(*queued));
  } else {
    co_await answer_error(call, ErrorShape::kOpenAi, std::move(queued.error()));
  }
}

}  // namespace berth::engine_http
