#include "fleet/vllm_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "fleet/prometheus_text.h"

namespace berth::fleet {
namespace {

constexpr std::string_view kPrefix = "vllm:";
constexpr std::string_view kCacheConfig = "cache_config_info";
constexpr std::size_t kMaxRows = 4096;
constexpr std::uint64_t kMaxEngine = 1023;
constexpr std::uint64_t kMaxNumber = 1'000'000'000'000;  // beyond it a number is nonsense

using Field = std::optional<double> EngineReading::*;

// How one metric is read. Of two metrics of one field the one with the higher `precedence` counts.
struct MetricRule {
  std::string_view name;  // without prefix and _total
  Field field = nullptr;  // null: only a sign of work
  int precedence = 0;
  bool gauge = false;
  bool work = false;
  std::array<std::string_view, 2> sources =
      {};  // values of the `source` label that count; empty: all
};

constexpr std::array kRules = {
    MetricRule{"num_requests_running", &EngineReading::running, 0, true},
    MetricRule{"num_requests_waiting", &EngineReading::waiting, 0, true},
    MetricRule{"kv_cache_usage_perc", &EngineReading::kv_usage, 1, true},
    MetricRule{"gpu_cache_usage_perc", &EngineReading::kv_usage, 0, true},
    MetricRule{"prefix_cache_queries", &EngineReading::prefix_queries, 1, false, true},
    MetricRule{"gpu_prefix_cache_queries", &EngineReading::prefix_queries, 0, false, true},
    MetricRule{"prefix_cache_hits", &EngineReading::prefix_hits, 1},
    MetricRule{"gpu_prefix_cache_hits", &EngineReading::prefix_hits, 0},
    MetricRule{"prompt_tokens", &EngineReading::prompt_tokens, 0, false, true},
    MetricRule{"generation_tokens", &EngineReading::generation_tokens, 0, false, true},
    MetricRule{"num_preemptions", &EngineReading::preemptions, 0, false, true},
    MetricRule{"prompt_tokens_by_source",
               &EngineReading::cached_prompt_tokens,
               1,
               false,
               false,
               {"local_cache_hit", "external_kv_transfer"}},
    MetricRule{"prompt_tokens_cached", &EngineReading::cached_prompt_tokens, 0},
    MetricRule{"iteration_tokens_total_count", nullptr, 0, false, true},
    MetricRule{"request_success", nullptr, 0, false, true},
};

// The name without prefix and _total; empty when it is not vLLM's.
std::string_view bare_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  if (name.ends_with("_total")) name.remove_suffix(6);
  return name;
}

const MetricRule* rule_of(std::string_view bare) {
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [bare](const MetricRule& rule) { return rule.name == bare; });
  return found == kRules.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> whole_number(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const char* const begin = text->data();
  const char* const end = begin + text->size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end || value > kMaxNumber) return std::nullopt;
  return value;
}

class PageReader {
 public:
  static bool wanted(std::string_view name) {
    const auto bare = bare_name(name);
    return bare == kCacheConfig || rule_of(bare) != nullptr;
  }

  void visit(const PromSample& sample) {
    const auto bare = bare_name(sample.name);
    if (bare == kCacheConfig) return visit_cache(sample);
    const MetricRule& rule = *rule_of(bare);
    if (!counts(rule, sample) || !is_plausible(sample)) return;
    auto engine = whole_number(sample.label("engine").value_or("0"));
    if (!engine || *engine > kMaxEngine) return;
    Row* row = row_of(sample.label("model_name").value_or(""), static_cast<std::uint32_t>(*engine));
    if (row != nullptr) apply(rule, sample.value, *row);
  }

  VllmPage finish() && {
    for (auto& entry : rows_) page_.engines.push_back(std::move(entry.second.reading));
    return std::move(page_);
  }

 private:
  struct Row {
    EngineReading reading;
    std::array<bool, kRules.size()> seen{};  // by rule: its metric is what the rule's field holds
  };

  static bool counts(const MetricRule& rule, const PromSample& sample) {
    if (rule.sources[0].empty()) return true;
    const auto source = sample.label("source").value_or("");
    return std::find(rule.sources.begin(), rule.sources.end(), source) != rule.sources.end();
  }

  bool is_plausible(const PromSample& sample) {
    constexpr double kMost = 9007199254740992.0;  // 2^53
    if (sample.value >= 0 && sample.value <= kMost) return true;
    if (page_.implausible.empty()) page_.implausible = sample.name;
    return false;
  }

  Row* row_of(std::string_view model, std::uint32_t engine) {
    const auto key = std::make_pair(std::string(model), engine);
    const auto found = rows_.find(key);
    if (found != rows_.end()) return &found->second;
    if (rows_.size() >= kMaxRows) return nullptr;
    Row& row = rows_[key];
    row.reading.model = key.first;
    row.reading.engine = engine;
    return &row;
  }

  // A counter may have several rows, split by labels Berth does not need: they add up.
  static void apply(const MetricRule& rule, double value, Row& row) {
    if (rule.work && value > 0) row.reading.work += value;
    if (rule.field == nullptr || !takes_field(rule, row)) return;
    std::optional<double>& field = row.reading.*rule.field;
    bool& seen = row.seen[index_of(rule)];
    field = seen && !rule.gauge ? *field + value : value;
    seen = true;
  }

  static std::size_t index_of(const MetricRule& rule) {
    return static_cast<std::size_t>(&rule - kRules.data());
  }

  // False when a metric of higher precedence fills the field already; takes it from one of lower
  // precedence.
  static bool takes_field(const MetricRule& rule, Row& row) {
    for (const MetricRule& other : kRules) {
      if (&other == &rule || other.field != rule.field || !row.seen[index_of(other)]) continue;
      if (other.precedence > rule.precedence) return false;
      row.seen[index_of(other)] = false;
    }
    return true;
  }

  void visit_cache(const PromSample& sample) {
    if (page_.caches.size() >= kMaxRows) return;
    CacheReading row;
    row.model = sample.label("model_name").value_or("");
    row.block_size = whole_number(sample.label("block_size"));
    row.num_gpu_blocks = whole_number(sample.label("num_gpu_blocks"));
    row.size_tokens = whole_number(sample.label("kv_cache_size_tokens"));
    page_.caches.push_back(std::move(row));
  }

  VllmPage page_;
  std::map<std::pair<std::string, std::uint32_t>, Row> rows_;
};

}  // namespace

VllmPage read_vllm_page(std::string_view page) {
  PageReader reader;
  const auto visit = [&reader](const PromSample& sample) { reader.visit(sample); };
  read_prometheus(page, PageReader::wanted, visit);
  return std::move(reader).finish();
}

std::vector<const EngineReading*> engines_of(const VllmPage& page, std::string_view model) {
  std::vector<const EngineReading*> labelled;
  std::vector<const EngineReading*> unlabelled;
  for (const auto& reading : page.engines) {
    if (reading.model == model) labelled.push_back(&reading);
    if (reading.model.empty()) unlabelled.push_back(&reading);
  }
  return labelled.empty() ? unlabelled : labelled;
}

std::uint64_t kv_tokens_per_rank(const VllmPage& page, std::string_view model,
                                 std::uint32_t ranks) {
  std::uint64_t best = 0;
  const std::uint64_t count = std::max<std::uint32_t>(ranks, 1);
  for (const auto& row : page.caches) {
    if (!row.model.empty() && row.model != model) continue;
    if (row.size_tokens && *row.size_tokens > 0) return *row.size_tokens;
    if (!row.block_size || !row.num_gpu_blocks) continue;
    const std::uint64_t blocks = *row.num_gpu_blocks / count;
    const bool sane = blocks > 1 && *row.block_size <= kMaxNumber / blocks;
    if (sane) best = std::max(best, (blocks - 1) * *row.block_size);
  }
  return best;
}

namespace {

// The labels of the model's engines, ascending.
std::vector<std::uint32_t> labels_of(const VllmPage& page, std::string_view model) {
  std::vector<std::uint32_t> labels;
  for (const auto* reading : engines_of(page, model)) labels.push_back(reading->engine);
  std::sort(labels.begin(), labels.end());
  return labels;
}

// How many follow the first without a gap, itself among them.
std::uint32_t without_gap(const std::vector<std::uint32_t>& labels) {
  std::uint32_t count = 0;
  while (count < labels.size() && labels[count] == labels.front() + count) ++count;
  return count;
}

}  // namespace

RankLayout rank_layout(const VllmPage& page, std::string_view model,
                       std::optional<std::uint32_t> configured) {
  const std::vector<std::uint32_t> labels = labels_of(page, model);
  if (labels.empty()) return {0, std::max<std::uint32_t>(configured.value_or(1), 1)};
  if (configured && *configured > 0) {
    return {labels.back() < *configured ? 0 : labels.front(), *configured};
  }
  return {labels.front(), std::min(without_gap(labels), kMostDiscoveredRanks)};
}

RankLayout rank_layout(const VllmPage& page, std::string_view model,
                       std::optional<std::uint32_t> configured, const RankLayout& before) {
  const RankLayout fresh = rank_layout(page, model, configured);
  const std::vector<std::uint32_t> labels = labels_of(page, model);
  if (labels.empty() || labels.size() >= before.ranks) return fresh;
  const bool inside =
      labels.front() >= before.first_engine && labels.back() - before.first_engine < before.ranks;
  const bool shorter = fresh.first_engine == before.first_engine && fresh.ranks == labels.size();
  return inside && !shorter ? before : fresh;
}

std::string odd_ranks(const VllmPage& page, std::string_view model,
                      std::optional<std::uint32_t> configured) {
  const std::vector<std::uint32_t> labels = labels_of(page, model);
  const RankLayout layout = rank_layout(page, model, configured);
  if (labels.empty() || labels.back() - layout.first_engine < layout.ranks) return {};
  const std::string seen =
      fmt::format("the metrics of {} show {} engine{}, labelled {} to {}", model, labels.size(),
                  labels.size() == 1 ? "" : "s", labels.front(), labels.back());
  if (configured && *configured > 0) {
    return fmt::format("{}, but data_parallel_size is {}: the others get no requests", seen,
                       *configured);
  }
  const bool gap = without_gap(labels) < labels.size();
  return fmt::format(
      "{}{}; {} {} taken for its ranks. Set the server's data_parallel_size if it "
      "has more",
      seen,
      gap ? std::string(" with a gap")
          : fmt::format(", more than the {} that are believed", kMostDiscoveredRanks),
      layout.ranks, layout.ranks == 1 ? "is" : "are");
}

}  // namespace berth::fleet
