#include <fmt/format.h>

#include "cli/commands.h"

namespace berth::cli {

std::string version_text() { return fmt::format("berth {} ({})", BERTH_VERSION, __VERSION__); }

void add_version(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("version", "Print the version and what this binary was built with");
  static bool json = false;
  command->add_flag("--json", json, "Print as JSON");
  command->footer("Example:\n  berth version");
  command->callback([&status] {
    if (json) {
      fmt::print("{{\"version\":\"{}\",\"compiler\":\"{}\"}}\n", BERTH_VERSION, __VERSION__);
    } else {
      fmt::print("{}\n", version_text());
    }
    status = 0;
  });
}

}  // namespace berth::cli
