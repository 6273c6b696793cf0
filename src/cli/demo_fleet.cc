#include "cli/demo_fleet.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"
#include "engine/presets.h"

namespace berth::cli {
namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr std::uint16_t kFirstPort = 8000;

engine_http::EngineOptions engine_options(const DemoFleetOptions& options, std::uint32_t server) {
  const engine::Preset* preset = engine::find_preset("a4000-qwen3-4b");
  BERTH_CHECK(preset != nullptr);
  engine_http::EngineOptions engine;
  engine.spec = preset->spec;
  engine.spec.ranks = options.topology == Topology::kRanks ? options.replicas : 1;
  engine.spec.kv_tokens = kDemoKvTokens;
  engine.spec.seed = server + 1;
  engine.models = {std::string(preset->model)};
  engine.time_scale = options.time_scale;
  return engine;
}

}  // namespace

Result<std::unique_ptr<DemoFleet>> DemoFleet::start(const DemoFleetOptions& options) {
  std::unique_ptr<DemoFleet> fleet(new DemoFleet());
  if (const auto listening = fleet->listen(options); !listening) {
    return tl::unexpected(listening.error());
  }
  fleet->thread_ = std::thread([io = &fleet->io_] {
    const auto work = net::asio::make_work_guard(*io);
    io->run();
  });
  return fleet;
}

Result<void> DemoFleet::listen(const DemoFleetOptions& options) {
  const std::uint32_t servers = options.topology == Topology::kRanks ? 1 : options.replicas;
  for (std::uint32_t i = 0; i < servers; ++i) {
    const engine_http::EngineOptions engine = engine_options(options, i);
    const auto port = static_cast<std::uint16_t>(kFirstPort + i);
    auto server = engine_http::EngineServer::start(io_, kHost, port, engine);
    if (!server) server = engine_http::EngineServer::start(io_, kHost, 0, engine);
    if (!server) return tl::unexpected(server.error());
    urls_.push_back("http://" + std::string(kHost) + ':' + std::to_string((*server)->port()));
    model_ = engine.models.front();
    max_num_seqs_ = engine.spec.max_num_seqs;
    servers_.push_back(std::move(*server));
  }
  return {};
}

DemoFleet::~DemoFleet() {
  if (!thread_.joinable()) return;
  net::asio::post(io_, [this] {
    for (const auto& server : servers_) server->stop();
    io_.stop();
  });
  thread_.join();
}

std::uint64_t DemoFleet::prefix_queries() const {
  std::uint64_t sum = 0;
  for (const auto& server : servers_) {
    for (const engine::RankStats& rank : server->stats()) sum += rank.prefix_queries;
  }
  return sum;
}

}  // namespace berth::cli
