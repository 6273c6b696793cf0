// The subcommands of `berth sim`, as commands.h has those of `berth`.
#pragma once

#include <CLI/CLI.hpp>

namespace berth::cli {

void add_sim_reference(CLI::App& sim, int& status);
void add_sim_trace(CLI::App& sim, int& status);
void add_sim_seven_cards(CLI::App& sim, int& status);
void add_sim_why(CLI::App& sim, int& status);
void add_sim_list(CLI::App& sim, int& status);

}  // namespace berth::cli
