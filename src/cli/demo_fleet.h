// The demo's simulated vLLM servers, on a thread of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine_http/engine_server.h"
#include "net/types.h"

namespace berth::cli {

enum class Topology : std::uint8_t {
  kRanks,    // one server with that many data-parallel ranks
  kServers,  // that many servers
};

// KV cache of a replica: more than the card that is simulated has, so that the long prompts of real
// agents fit.
inline constexpr std::uint64_t kDemoKvTokens = 131'072;

struct DemoFleetOptions {
  std::uint32_t replicas = 4;
  Topology topology = Topology::kRanks;
  double time_scale = 5;
};

class DemoFleet {
 public:
  // Listens on loopback: from port 8000 on where those are free, else wherever there is room. An
  // error leaves nothing running.
  static Result<std::unique_ptr<DemoFleet>> start(const DemoFleetOptions& options);
  ~DemoFleet();  // stops the servers
  DemoFleet(const DemoFleet&) = delete;
  DemoFleet& operator=(const DemoFleet&) = delete;

  const std::vector<std::string>& urls() const { return urls_; }
  const std::string& model() const { return model_; }
  std::uint32_t max_num_seqs() const { return max_num_seqs_; }
  // Prompt tokens looked up in the prefix caches so far, over all replicas. Any thread.
  std::uint64_t prefix_queries() const;

 private:
  DemoFleet() = default;
  Result<void> listen(const DemoFleetOptions& options);

  net::asio::io_context io_{1};
  std::vector<std::unique_ptr<engine_http::EngineServer>> servers_;
  std::vector<std::string> urls_;
  std::string model_;
  std::uint32_t max_num_seqs_ = 0;
  std::thread thread_;
};

}  // namespace berth::cli
