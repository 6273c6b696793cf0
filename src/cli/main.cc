// Entry point: declares the subcommands and runs the one chosen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/help_format.h"
#include "cli/usage.h"

namespace {
constexpr int kBadUsage = 2;
}

int main(int argc, char** argv) {
  CLI::App app{
      "berth: a gateway that sends every turn of a conversation to the vLLM replica that holds its "
      "KV cache"};
  app.name("berth");
  app.formatter(std::make_shared<berth::cli::HelpFormat>());
  app.get_formatter()->column_width(36);
  app.require_subcommand(1);
  app.set_version_flag("--version", berth::cli::version_text());
  app.footer("Example:\n  berth serve http://gpu0:8000 http://gpu1:8000\n  berth COMMAND --help");
  int status = 0;
  berth::cli::add_serve(app, status);
  berth::cli::add_check_config(app, status);
  berth::cli::add_status(app, status);
  berth::cli::add_explain(app, status);
  berth::cli::add_demo(app, status);
  berth::cli::add_engine(app, status);
  berth::cli::add_sim(app, status);
  berth::cli::add_version(app, status);
  if (argc < 2) {
    fmt::print(stderr, "{}", berth::cli::short_help(app));
    return kBadUsage;
  }
  if (const auto unknown = berth::cli::unknown_command(app, argc, argv)) {
    fmt::print(stderr, "{}", *unknown);
    return kBadUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    fmt::print(stderr, "{}", berth::cli::usage_error(app, error));
    return kBadUsage;
  }
  return status;
}
