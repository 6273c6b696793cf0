#include "engine_http/engine_server.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine_http/engine_core.h"
#include "engine_http/handlers.h"
#include "engine_http/watched_responder.h"
#include "http/server.h"

namespace berth::engine_http {
namespace {

// uvicorn's default, which vLLM keeps (VLLM_HTTP_TIMEOUT_KEEP_ALIVE).
constexpr Duration kKeepAlive = std::chrono::seconds(5);

void begin_record(const http::Request& request, Record& record) {
  record.method = request.head->method;
  record.target = request.head->target;
  for (const http::Header& header : request.head->headers) {
    record.headers.emplace_back(header.name, header.value);
  }
  record.body_bytes = request.body.size();
  record.body_sha256 = sha256_hex(request.body);
}

net::Task<void> serve(std::shared_ptr<EngineCore> core, http::Request* request,
                      http::Responder* inner) {
  Record record;
  WatchedResponder responder(*inner);
  const bool recording = core->recorder != nullptr;
  if (recording) begin_record(*request, record);
  Call call{.core = core, .request = request, .responder = &responder, .record = &record};
  co_await handle(call);
  if (!recording) co_return;
  record.status = responder.status();
  record.response_bytes = responder.bytes();
  record.response_sha256 = responder.sha256();
  record.aborted = responder.gone();
  core->recorder->write(record);
}

class Server final : public EngineServer {
 public:
  Server(std::shared_ptr<EngineCore> core, std::unique_ptr<http::Server> http)
      : core_(std::move(core)), http_(std::move(http)) {}
  ~Server() override { stop(); }

  std::uint16_t port() const override { return http_->port(); }
  std::vector<engine::RankStats> stats() const override { return core_->driver.stats(); }
  std::uint64_t in_flight() const override { return core_->in_flight; }
  Result<void> inject_fault(const std::string& plan, std::uint32_t times) override {
    const Result<FaultPlan> parsed = parse_fault_plan(plan);
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    core_->faults.push(*parsed, times);
    return {};
  }
  void stop() override {
    http_->stop();
    core_->driver.stop();
  }

 private:
  std::shared_ptr<EngineCore> core_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace

Result<void> check_options(const EngineOptions& options) {
  if (auto spec = engine::check_spec(options.spec); !spec) return spec;
  if (options.models.empty() || options.models.front().empty()) {
    return fail(ErrorCode::kConfig, "model: at least one name is needed");
  }
  if (const std::uint64_t room = engine::max_request_tokens(options.spec);
      options.max_model_len > room) {
    // vLLM does not start either.
    return fail(ErrorCode::kConfig,
                fmt::format("max-model-len {} does not fit the KV cache of one rank: {} tokens "
                            "(kv-tokens {} less the null block)",
                            options.max_model_len, room, options.spec.kv_tokens));
  }
  if (!(options.time_scale >= 0.001 && options.time_scale <= 100'000)) {
    return fail(ErrorCode::kConfig,
                fmt::format("time-scale must be 0.001 to 100000, not {}", options.time_scale));
  }
  return {};
}

Result<std::unique_ptr<EngineServer>> EngineServer::start(net::asio::io_context& io,
                                                          const std::string& host,
                                                          std::uint16_t port,
                                                          EngineOptions options) {
  if (auto checked = check_options(options); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()));
  }
  std::unique_ptr<Recorder> recorder;
  if (!options.record_file.empty()) {
    auto opened = Recorder::open(options.record_file);
    if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
    recorder = std::move(*opened);
  }
  auto core =
      std::make_shared<EngineCore>(io.get_executor(), std::move(options), std::move(recorder));
  http::ReaderLimits limits;
  limits.idle = kKeepAlive;
  auto server = http::Server::listen(io, host, port, limits,
                                     [core](http::Request& request, http::Responder& responder) {
                                       return serve(core, &request, &responder);
                                     });
  if (!server) return tl::unexpected<Error>(std::move(server.error()));
  return std::make_unique<Server>(std::move(core), std::move(*server));
}

}  // namespace berth::engine_http
