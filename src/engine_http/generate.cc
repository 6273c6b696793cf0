// The generating endpoints: read, check, make the reply, run it through the model, write it out.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "engine_http/answer.h"
#include "engine_http/flight.h"
#include "engine_http/generate_request.h"
#include "engine_http/handlers.h"
#include "engine_http/model_request.h"
#include "engine_http/reply.h"
#include "engine_http/reply_writer.h"
#include "engine_http/watched_responder.h"

namespace berth::engine_http {
namespace {

using ReadRequest = ApiResult<GenerateRequest> (*)(const Json&);

constexpr std::string_view kEventStream = "text/event-stream; charset=utf-8";

ErrorShape shape_of(Api api) {
  return api == Api::kMessages ? ErrorShape::kAnthropic : ErrorShape::kOpenAi;
}

// A request that has been read and checked, and how it will be answered.
struct Job {
  GenerateRequest request;
  std::uint64_t max_tokens = 0;
  Reply reply;
  FaultPlan faults;
  Usage usage;
  std::unique_ptr<ReplyWriter> writer;
};

// vLLM refuses a prompt that fills the context (chat_completion/serving.py). It also refuses
// max_tokens that do not fit behind the prompt; here they are cut to what fits, so that agents that
// always ask for 32,000 run against small caches.
ApiResult<std::uint64_t> output_room(const Call& call, const GenerateRequest& request) {
  const std::uint64_t length = call.core->max_model_len();
  const std::uint64_t prompt = request.prompt.size();
  if (prompt >= length) {
    return bad_request(
        fmt::format("This model's maximum context length is {} tokens. However, your request has "
                    "{} input tokens. Please reduce the length of the input messages.",
                    length, prompt),
        "input_tokens");
  }
  return std::min(length - prompt, request.max_tokens.value_or(length - prompt));
}

ApiResult<FaultPlan> faults_of(const Call& call) {
  if (const auto queued = call.core->faults.pop()) return *queued;
  const std::string_view header = call.request->head->headers.get(kFaultHeader);
  if (header.empty() || !call.core->options.allow_faults) return FaultPlan{};
  const Result<FaultPlan> plan = parse_fault_plan(header);
  if (!plan) return bad_request(plan.error().message);
  return *plan;
}

// A rank header that is not a number is ignored, as vLLM does; responses never look at it.
std::optional<std::uint32_t> rank_of(const Call& call, Api api) {
  if (api == Api::kResponses) return std::nullopt;
  const std::string_view text = call.request->head->headers.get("x-data-parallel-rank");
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

std::string reply_id(const Call& call, const GenerateRequest& request) {
  const std::string prefix(id_prefix(request.api));
  if (request.api == Api::kResponses) {
    return request.request_id.empty() ? call.core->new_id(prefix) : request.request_id;
  }
  const std::string_view given = call.request->head->headers.get("x-request-id");
  if (!given.empty()) return prefix + std::string(given);
  if (!request.request_id.empty()) return prefix + request.request_id;
  return call.core->new_id(prefix);
}

ApiResult<std::unique_ptr<Job>> prepare(const Call& call, ReadRequest read) {
  const ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  ApiResult<GenerateRequest> request = read(*body);
  if (!request) return tl::unexpected<ApiError>(std::move(request.error()));
  if (const auto known = check_model(call, request->model); !known) {
    return tl::unexpected<ApiError>(known.error());
  }
  const auto room = output_room(call, *request);
  if (!room) return tl::unexpected<ApiError>(room.error());
  const auto faults = faults_of(call);
  if (!faults) return tl::unexpected<ApiError>(faults.error());
  // The writer refers to the request and the reply, so they get their place first.
  auto job = std::make_unique<Job>();
  job->request = std::move(*request);
  job->max_tokens = *room;
  job->reply = make_reply(job->request, call.core->options.spec.seed, *room);
  job->faults = *faults;
  job->usage.prompt = job->request.prompt.size();
  ReplyIdentity identity{.id = reply_id(call, job->request),
                         .model = call.core->options.models.front(),
                         .created = std::chrono::duration_cast<std::chrono::seconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count(),
                         .cache_details = call.core->options.prompt_tokens_details};
  job->writer = make_writer(job->request, job->reply, std::move(identity));
  return job;
}

engine::EngineRequest engine_request(const Call& call, Job& job) {
  const std::string& salt = job.request.cache_salt;
  engine::EngineRequest out = model_request(std::move(job.request.prompt), job.reply.tokens,
                                            salt.empty() ? 0 : std::hash<std::string>{}(salt),
                                            call.core->options.spec.block_size);
  out.max_tokens = static_cast<std::uint32_t>(job.max_tokens);
  out.rank = rank_of(call, job.request.api);
  return out;
}

std::string type_of_status(int status) {
  switch (status) {
    case 429:
      return "TooManyRequestsError";
    case 503:
      return "ServiceUnavailableError";
    case 529:
      return "overloaded_error";
    default:
      return status < 500 ? "BadRequestError" : "InternalServerError";
  }
}

net::Task<void> refuse(Call& call, const Job& job) {
  ApiError error{*job.faults.refuse, type_of_status(*job.faults.refuse),
                 "The simulated engine was asked to refuse this request.", "", false};
  http::Responder::ExtraHeaders extra;
  if (job.faults.retry_after) {
    extra.emplace_back("retry-after", std::to_string(*job.faults.retry_after));
  }
  co_await answer_error(call, shape_of(job.request.api), std::move(error), std::move(extra));
}

// Adds an event to the usage and, for a stream, to what is written. True once it was the last.
bool take_event(Call& call, Job& job, const engine::Event& event, std::string* out) {
  job.usage.cached = event.cached_tokens;
  if (event.kind == engine::EventKind::kToken) {
    job.usage.output = event.index + 1;
    if (out != nullptr) *out += job.writer->token(event.index, job.usage);
    return false;
  }
  call.core->metrics.on_end(*call.record->rank, job.reply.finish, job.max_tokens);
  if (out != nullptr) *out += job.writer->close(job.usage);
  return true;
}

net::Task<void> answer_whole(Call& call, Job& job, Flight& flight) {
  bool done = false;
  while (!done) {
    const std::vector<engine::Event> events = co_await flight.events();
    if (events.empty()) co_return;
    for (const engine::Event& event : events) done = take_event(call, job, event, nullptr);
  }
  if (job.faults.stream_fault == StreamFault::kError) {
    ApiError error{500, "InternalServerError", "The simulated engine failed on request.", "",
                   false};
    co_await answer_error(call, shape_of(job.request.api), std::move(error));
  } else if (job.faults.stream_fault == StreamFault::kHang) {
    co_await flight.hang();
  } else if (job.faults.stream_fault == StreamFault::kDie) {
    call.responder->abort();
  } else {
    co_await answer_json(call, 200, job.writer->whole(job.usage));
  }
}

// The fault that ends a stream after some tokens. What was written before it has gone out.
net::Task<void> break_stream(Call& call, Job& job, Flight& flight) {
  if (job.faults.stream_fault == StreamFault::kDie) {
    call.responder->abort();
  } else if (job.faults.stream_fault == StreamFault::kHang) {
    co_await flight.hang();
  } else {
    const ApiError error{500, "InternalServerError", "The simulated engine failed on request.", "",
                         false};
    co_await call.responder->write(job.writer->stream_error(error));
    co_await call.responder->finish();
  }
}

bool breaks_at(const Job& job, std::uint64_t tokens) {
  return job.faults.stream_fault != StreamFault::kNone && tokens >= job.faults.stream_tokens;
}

net::Task<void> answer_stream(Call& call, Job& job, Flight& flight) {
  std::string out = job.writer->open();
  if (!out.empty() && !co_await call.responder->write(std::move(out))) co_return;
  bool done = false;
  bool broken = breaks_at(job, 0);
  while (!done && !broken) {
    const std::vector<engine::Event> events = co_await flight.events();
    if (events.empty()) co_return;
    out.clear();
    for (const engine::Event& event : events) {
      done = take_event(call, job, event, &out);
      broken = !done && breaks_at(job, job.usage.output);
      if (broken) break;
    }
    if (!done && !out.empty() && !co_await call.responder->write(std::move(out))) co_return;
  }
  if (broken) {
    co_await break_stream(call, job, flight);
  } else {
    co_await call.responder->finish_with(std::move(out));
  }
}

// vLLM sends the status of a stream before the engine has seen the request, so even a rank that
// does not exist is an error inside a 200 stream there.
net::Task<void> run(Call& call, Job& job, Flight& flight) {
  const ErrorShape shape = shape_of(job.request.api);
  if (job.request.stream) {
    const bool there = co_await call.responder->start(200, std::string(kEventStream));
    if (!there) co_return;
  }
  const Result<void> started = flight.start(engine_request(call, job));
  if (!started && !job.request.stream) {
    ApiError error{400, "BadRequestError", started.error().message, "", false};
    co_await answer_error(call, shape, std::move(error));
  } else if (!started) {
    const ApiError error{400, "BadRequestError", started.error().message, "", false};
    co_await call.responder->write(job.writer->stream_error(error));
    co_await call.responder->finish();
  } else if (job.request.stream) {
    co_await answer_stream(call, job, flight);
  } else {
    co_await answer_whole(call, job, flight);
  }
}

net::Task<void> generate(Call& call, Api api, ReadRequest read) {
  ApiResult<std::unique_ptr<Job>> job = prepare(call, read);
  if (!job) {
    co_await answer_error(call, shape_of(api), std::move(job.error()));
    co_return;
  }
  const FaultPlan& faults = (*job)->faults;
  Flight flight(call);
  if (faults.slow_first_byte.count() > 0) co_await flight.pause(faults.slow_first_byte);
  if (faults.hang) co_await flight.hang();
  if (call.responder->gone()) co_return;
  if (faults.die_before_first_byte) {
    call.responder->abort();
  } else if (faults.refuse) {
    co_await refuse(call, **job);
  } else {
    co_await run(call, **job, flight);
  }
}

}  // namespace

net::Task<void> handle_messages(Call& call) {
  co_await generate(call, Api::kMessages, read_messages);
}
net::Task<void> handle_chat(Call& call) { co_await generate(call, Api::kChat, read_chat); }
net::Task<void> handle_completions(Call& call) {
  co_await generate(call, Api::kCompletions, read_completions);
}
net::Task<void> handle_responses(Call& call) {
  co_await generate(call, Api::kResponses, read_responses);
}

}  // namespace berth::engine_http
