#include "engine/balancer.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace berth::engine {
namespace {

constexpr std::array<std::pair<std::string_view, Balancer>, 4> kNames = {{
    {"off", Balancer::kOff},
    {"off-published", Balancer::kOffPublished},
    {"off-rotating", Balancer::kOffRotating},
    {"off-2026", Balancer::kOff2026},
}};

}  // namespace

std::optional<Balancer> balancer_from_name(std::string_view name) {
  for (const auto& [known, kind] : kNames) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

std::string_view balancer_name(Balancer balancer) {
  for (const auto& [name, kind] : kNames) {
    if (kind == balancer) return name;
  }
  BERTH_CHECK(false);
}

std::unique_ptr<RankBalancer> make_balancer(Balancer kind, std::uint32_t ranks,
                                            std::uint32_t processes) {
  switch (kind) {
    case Balancer::kOff:
      return make_off_balancer(ranks, processes);
    case Balancer::kOffPublished:
      return make_published_balancer(ranks, processes);
    case Balancer::kOffRotating:
      return make_rotating_balancer(ranks, processes);
    case Balancer::kOff2026:
      return make_2026_balancer(ranks, processes);
  }
  BERTH_CHECK(false);
}

}  // namespace berth::engine
