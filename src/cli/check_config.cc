// berth check-config: is this configuration valid, and what does it come to?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/environment.h"
#include "config/check_paths.h"
#include "config/load.h"

namespace berth::cli {
namespace {

struct CheckOptions {
  std::optional<std::string> file;
  config::Overrides overrides;
  bool json = false;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

int report_problems(const CheckOptions& options, const std::vector<std::string>& lines) {
  if (options.json) {
    using Json = nlohmann::ordered_json;
    const Json out = {{"valid", false}, {"errors", lines}};
    fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
    return 1;
  }
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
  return 1;
}

int check_config(const CheckOptions& options) {
  const auto environment = berth_environment();
  if (!options.file && !environment.contains("BERTH_CONFIG")) {
    fmt::print(
        stderr,
        "berth check-config: name the file to check, as in \"berth check-config berth.toml\"\n");
    return 2;
  }
  const Result<config::Config> config = config::load(options.file, environment, options.overrides);
  if (!config) return report_problems(options, lines_of(config.error().message));
  const std::vector<std::string> in_the_way = config::check_paths(*config);
  if (!in_the_way.empty()) return report_problems(options, in_the_way);
  fmt::print("{}", options.json ? config::describe_json(*config) : config::describe(*config));
  return 0;
}

}  // namespace

void add_check_config(CLI::App& app, int& status) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check-config", "Check a configuration and print every value with where it came from");
  command->add_option("file", options->file, "Configuration file (docs/config.md)");
  command->add_option("urls", options->overrides.urls, "Servers, as for berth serve");
  command->add_flag("--json", options->json, "Print as JSON");
  add_config_flags(*command, options->overrides);
  command->footer(
      "Variables (BERTH_LISTEN, ...) and flags count as they would for berth serve.\n"
      "Exits 0 when the configuration is valid, 1 when it is not (one line a problem), 2 on bad "
      "usage.\n\n"
      "Example:\n"
      "  berth check-config /etc/berth/berth.toml\n"
      "  BERTH_AFFINITY=off berth check-config berth.toml --listen 127.0.0.1:8081");
  command->callback([options, &status] { status = check_config(*options); });
}

}  // namespace berth::cli
