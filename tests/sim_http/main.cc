// The simulator's clients as real HTTP traffic; run.py starts what they speak to.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/statistics.h"
#include "sim_http/load.h"

namespace berth::sim_http {
namespace {

struct Flags {
  std::string gateway;
  std::string engine;
  LoadSettings load;
};

// The names and units of `berth sim --json`.
nlohmann::json row_of(LoadResult result, double minutes) {
  const auto queries = static_cast<double>(std::max<std::uint64_t>(result.counters.queries, 1));
  return {{"output_tokens_per_min", static_cast<double>(result.counters.generated) / minutes},
          {"turns_per_min", static_cast<double>(result.turns) / minutes},
          {"prefix_hit_ratio", static_cast<double>(result.counters.hits) / queries},
          {"ttfb_p50_s", sim::percentile(result.ttfb_s, 0.5)},
          {"ttfb_p95_s", sim::percentile(result.ttfb_s, 0.95)},
          {"ttfb_mean_s", sim::mean(result.ttfb_s)}};
}

int complain(const std::string& what) {
  fmt::print(stderr, "sim_http_clients: {}\n", what);
  return 1;
}

int run(Flags flags) {
  const auto gateway = http::parse_url(flags.gateway);
  const auto engine = http::parse_url(flags.engine);
  if (!gateway || !engine) return complain((gateway ? engine : gateway).error().message);
  flags.load.gateway = *gateway;
  flags.load.engine = *engine;
  net::asio::io_context io(1);
  Load load(io, flags.load);
  std::optional<Result<LoadResult>> result;
  net::asio::co_spawn(io, load.run(), [&](const std::exception_ptr&, Result<LoadResult> done) {
    result = std::move(done);
    io.stop();
  });
  io.run();
  if (!result) return complain("the load ended without a result");
  if (!*result) return complain(result->error().message);
  fmt::print("{}\n", row_of(std::move(**result), flags.load.minutes).dump());
  return 0;
}

}  // namespace
}  // namespace berth::sim_http

int main(int argc, char** argv) {
  berth::sim_http::Flags flags;
  CLI::App app("The closed loop of `berth sim reference` over HTTP; prints one row as JSON");
  app.add_option("--gateway", flags.gateway, "URL of `berth serve`")->required();
  app.add_option("--engine", flags.engine, "URL of `berth engine`")->required();
  app.add_option("--model", flags.load.model, "Served name")->required();
  app.add_option("--ranks", flags.load.ranks, "Of the engine")->capture_default_str();
  app.add_option("--sessions", flags.load.sessions, "Clients")->capture_default_str();
  app.add_option("--minutes", flags.load.minutes, "Of the engine's time")->capture_default_str();
  app.add_option("--time-scale", flags.load.time_scale, "Of the engine")->capture_default_str();
  app.add_option("--seed", flags.load.seed, "Of the workload")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return berth::sim_http::run(std::move(flags));
}
