// Entry point: declares the subcommands and runs the one chosen.
#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace {
constexpr int kBadUsage = 2;
}

int main(int argc, char** argv) {
  CLI::App app{
      "berth: a gateway that sends every turn of a conversation to the vLLM replica that holds its "
      "KV cache"};
  app.name("berth");
  app.require_subcommand(1);
  int status = 0;
  berth::cli::add_engine(app, status);
  berth::cli::add_serve(app, status);
  berth::cli::add_version(app, status);
  berth::cli::add_status(app, status);
  berth::cli::add_explain(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kBadUsage;
  }
  return status;
}
