// A simulated vLLM server: the replica model behind vLLM's HTTP face. `berth engine` is one of
// these; tests and `berth demo` run several in their own process.
//
// Threads: everything runs on the io_context given, which one thread runs. Members are called on
// that thread, but for those that say otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/server_model.h"
#include "engine_http/prefix_counters.h"
#include "net/types.h"

namespace berth::engine_http {

struct EngineOptions {
  engine::ServerSpec spec;
  // Served names; the first is the one vLLM answers with and labels its metrics with.
  std::vector<std::string> models = {"Qwen/Qwen3-4B-Instruct-2507"};
  double time_scale = 1;              // seconds of the model in a real second
  bool prompt_tokens_details = true;  // vLLM: --enable-prompt-tokens-details (default off there)
  std::uint64_t max_model_len = 0;    // 0: what fits one rank's cache
  PrefixCounters prefix_counters = PrefixCounters::kAdmission;
  std::string api_key;        // empty: none is asked for
  bool allow_faults = false;  // obey x-berth-fault
  std::string record_file;    // empty: nothing is recorded
};

// The first thing wrong with the options (kConfig, naming the flag), or nothing.
Result<void> check_options(const EngineOptions& options);

class EngineServer {
 public:
  // Listens at once; port 0 picks a free one.
  static Result<std::unique_ptr<EngineServer>> start(net::asio::io_context& io,
                                                     const std::string& host, std::uint16_t port,
                                                     EngineOptions options);
  virtual ~EngineServer() = default;  // stops it
  virtual std::uint16_t port() const = 0;
  // One entry a rank. Any thread.
  virtual std::vector<engine::RankStats> stats() const = 0;
  // Requests to generate, pool or count that are being answered. Any thread.
  virtual std::uint64_t in_flight() const = 0;
  // The next `times` requests to generate fail by this plan (fault_plan.h), whether or not
  // allow_faults is set. Errors as parse_fault_plan. Any thread.
  virtual Result<void> inject_fault(const std::string& plan, std::uint32_t times) = 0;
  // Closes the listener and every connection, as a server that dies does. Its ranks and caches are
  // lost.
  virtual void stop() = 0;
};

}  // namespace berth::engine_http
