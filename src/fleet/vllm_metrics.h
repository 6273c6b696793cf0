// What Berth reads from a vLLM /metrics page. Names and traps are those of
// vllm/v1/metrics/loggers.py over the versions since V1:
//   - gpu_cache_usage_perc became kv_cache_usage_perc, gpu_prefix_cache_* became prefix_cache_*;
//   for five months
//     both were shown, so the new name wins and the two are never added;
//   - counters have a _total suffix or not, depending on the client library;
//   - the `engine` label tells the data-parallel rank; a page without it is rank 0;
//   - cache_config_info carries the cache's size in its labels, as text, "None" where not set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::fleet {

// One engine of one model, as the page shows it; absent where the page lacks it.
struct EngineReading {
  std::string model;         // the model_name label, empty without one
  std::uint32_t engine = 0;  // the engine label
  std::optional<double> running;
  std::optional<double> waiting;
  std::optional<double> kv_usage;
  std::optional<double> prefix_queries;
  std::optional<double> prefix_hits;
  std::optional<double> prompt_tokens;
  std::optional<double> generation_tokens;
  std::optional<double> preemptions;
  std::optional<double> cached_prompt_tokens;
  // Sum of every counter that moves while the engine works, among them its steps
  // (iteration_tokens_total_count), which move through a long prefill when no token counter does.
  double work = 0;
  friend bool operator==(const EngineReading&, const EngineReading&) = default;
};

// One cache_config_info row.
struct CacheReading {
  std::string model;  // empty: the row names none
  std::optional<std::uint64_t> block_size;
  // In a data-parallel server every engine's row shows the SUM over its engines
  // (core_client.py, _apply_ready_response).
  std::optional<std::uint64_t> num_gpu_blocks;
  // kv_cache_size_tokens, since May 2026: of one engine, not summed, and right for hybrid models,
  // where block_size * num_gpu_blocks is not.
  std::optional<std::uint64_t> size_tokens;
};

struct VllmPage {
  std::vector<EngineReading> engines;  // by model, then engine
  std::vector<CacheReading> caches;
  // The name of the first metric with a value no engine can mean: negative, not a number, or beyond
  // 2^53, where a double no longer counts. Such values are left out. Empty: none.
  std::string implausible;
};

// At most 4096 engines and as many cache rows are kept.
VllmPage read_vllm_page(std::string_view page);

// The rows labelled with `model`; when there are none, those without a label.
std::vector<const EngineReading*> engines_of(const VllmPage& page, std::string_view model);

// Tokens the KV cache of one rank holds, 0 when the page does not tell. One block of each rank is
// vLLM's null block and holds nothing.
std::uint64_t kv_tokens_per_rank(const VllmPage& page, std::string_view model, std::uint32_t ranks);

// The ranks of one model on one server. A rank is the number the X-data-parallel-rank header takes:
// it counts from the server's own first engine, while the engine label counts over all nodes
// (hybrid and external load balancing, where a node's labels begin above 0).
struct RankLayout {
  std::uint32_t first_engine = 0;
  std::uint32_t ranks = 1;
  friend bool operator==(const RankLayout&, const RankLayout&) = default;
};
// Without the setting at most so many ranks are believed: more than any server of one address is
// known to have (DeepSeek's largest deployments spread 144 engines over 18 nodes), and few enough
// that a page of nonsense costs nothing. The setting itself may say up to 1024 (config/keys.h).
inline constexpr std::uint32_t kMostDiscoveredRanks = 256;

// `configured` is the server's data_parallel_size setting. Without it the ranks are the engines
// whose labels follow each other without a gap, from the first one on.
RankLayout rank_layout(const VllmPage& page, std::string_view model,
                       std::optional<std::uint32_t> configured);
// The same beside `before`, what earlier pages showed: engines that are missing in front or in the
// middle leave the layout as it was, as the others keep their numbers; only those missing at its
// end make it shorter.
RankLayout rank_layout(const VllmPage& page, std::string_view model,
                       std::optional<std::uint32_t> configured, const RankLayout& before);

// What the page shows beyond that layout, as a sentence: a gap in the labels, too many, more than
// configured. Empty when nothing is left out.
std::string odd_ranks(const VllmPage& page, std::string_view model,
                      std::optional<std::uint32_t> configured);

}  // namespace berth::fleet
