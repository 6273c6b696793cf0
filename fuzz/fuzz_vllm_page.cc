// Any bytes as a metrics page and as a model list of a server. What must hold:
//   - the number of rows is bounded, ratios lie in 0..1, ranks are such as vLLM has;
//   - the same page again moves nothing, and whatever page comes next no counter falls.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fleet/discovery.h"
#include "fleet/models_list.h"
#include "fleet/scrape_track.h"
#include "fleet/vllm_metrics.h"

namespace {

using berth::Instant;
using berth::fleet::RankScrape;
using berth::fleet::ScrapeTrack;
using berth::fleet::ServedModel;
using berth::fleet::VllmPage;

void check_rank(const RankScrape& rank) {
  BERTH_CHECK(rank.kv_usage >= 0 && rank.kv_usage <= 1);
  BERTH_CHECK(rank.rank < 1024);
}

void check_not_fallen(const RankScrape& before, const RankScrape& after) {
  BERTH_CHECK(before.model == after.model && before.rank == after.rank);
  BERTH_CHECK(after.prefix_queries >= before.prefix_queries);
  BERTH_CHECK(after.prefix_hits >= before.prefix_hits);
  BERTH_CHECK(after.prompt_tokens >= before.prompt_tokens);
  BERTH_CHECK(after.generation_tokens >= before.generation_tokens);
  BERTH_CHECK(after.preemptions >= before.preemptions);
}

void follow(const VllmPage& first, const VllmPage& second, const std::vector<ServedModel>& models) {
  ScrapeTrack track;
  const Instant at{std::chrono::seconds(1)};
  const auto a = track.update(first, models, at);
  for (const auto& rank : a.ranks) check_rank(rank);
  const auto again = track.update(first, models, at);
  BERTH_CHECK(!again.worked && !again.restarted);
  track.update(second, models, at);
  const auto b = track.update(first, models, at);
  BERTH_CHECK(a.ranks.size() == b.ranks.size());
  for (std::size_t i = 0; i < a.ranks.size(); ++i) check_not_fallen(a.ranks[i], b.ranks[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A zero byte, which no page has, parts it into two pages.
  const auto cut = bytes.find('\0');
  const VllmPage first = berth::fleet::read_vllm_page(bytes.substr(0, cut));
  const VllmPage second =
      berth::fleet::read_vllm_page(cut == std::string_view::npos ? "" : bytes.substr(cut + 1));
  BERTH_CHECK(first.engines.size() <= 4096 && first.caches.size() <= 4096);

  std::vector<berth::fleet::ListedModel> listed;
  for (const auto& reading : first.engines) {
    if (!reading.model.empty() && listed.size() < 8) listed.push_back({reading.model, "", "", 0});
  }
  if (listed.empty()) listed.push_back({"m", "", "", 0});
  const auto models = berth::fleet::served_models(listed, first, std::nullopt);
  for (const auto& model : models) BERTH_CHECK(model.ranks >= 1 && model.ranks <= 1024);
  follow(first, second, models);

  const auto list = berth::fleet::parse_models_list(bytes);
  if (list) berth::fleet::served_models(*list, first, std::nullopt);
  return 0;
}
