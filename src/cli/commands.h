// The subcommands of `berth`. Each add_* declares one on the parser, with its flags, its help and
// its example; when it is chosen its callback runs and leaves the exit status in `status`: 0
// success, 1 a failed check, 2 bad usage.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace berth::cli {

// "berth 0.1.0 (compiler)".
std::string version_text();

void add_demo(CLI::App& app, int& status);
void add_engine(CLI::App& app, int& status);
void add_sim(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_check_config(CLI::App& app, int& status);
void add_version(CLI::App& app, int& status);
void add_status(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);

}  // namespace berth::cli
