// The closed loop of `berth sim reference`, spoken over HTTP: the same sessions, drawn from the
// same seed, with the same pauses and the same half round trips, all of it faster by the engine's
// time scale.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/client.h"
#include "net/types.h"
#include "sim/agent_sessions.h"

namespace berth::sim_http {

struct LoadSettings {
  http::Url gateway;
  http::Url engine;  // for warming its ranks and reading its counters
  std::string model;
  std::uint32_t ranks = 4;
  std::uint32_t sessions = 8;
  double minutes = 20;  // of the engine's time
  double time_scale = 20;
  std::uint64_t seed = 1;
};

// Differences of the engine's counters, over all ranks.
struct Counters {
  std::uint64_t queries = 0;
  std::uint64_t hits = 0;
  std::uint64_t generated = 0;
};

struct LoadResult {
  std::vector<double> ttfb_s;  // of requests answered in the window, in the engine's seconds
  std::uint64_t turns = 0;
  Counters counters;
};

// Owner: main. Thread: the io_context's.
class Load {
 public:
  Load(net::asio::io_context& io, LoadSettings settings);

  // Warms every rank, lets the clients speak for the minutes, and reads the counters. The first
  // turn that fails, or whose prompt has another number of tokens than planned, ends it.
  net::Task<Result<LoadResult>> run();

 private:
  net::Task<Result<void>> warm_up();
  net::Task<void> client(std::uint32_t slot);
  net::Task<Result<void>> session();
  net::Task<Result<std::string>> turn(std::string id, std::string body, sim::TurnPlan plan);
  net::Task<Result<Counters>> counters();
  net::Task<void> pause(double model_seconds);
  double one_way_s();
  bool over() const;

  net::asio::io_context& io_;
  LoadSettings settings_;
  sim::AgentSessions workload_;
  sim::Random network_;
  std::uint64_t stage_seed_;
  std::uint64_t next_session_ = 0;
  std::chrono::steady_clock::time_point end_;
  LoadResult result_;
  Result<void> failure_;
  net::Timer window_;  // expires at the end of the minutes; cancelled by the first failure
};

}  // namespace berth::sim_http
