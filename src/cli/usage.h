// What the command line says to a person who used it wrongly.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace berth::cli {

// The commands and where to begin: for `berth` without arguments.
std::string short_help(const CLI::App& app);

// `berth: unknown command "sevre"; did you mean "serve"?` and where to look, when the first
// argument is neither a command nor --help.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, const char* const* argv);

// Why the parse failed, in one line that names the command and, for an unknown flag, what was
// probably meant; then where to look.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace berth::cli
