// The flags that set configuration values, shared by the commands that read a configuration.
#pragma once

#include <CLI/CLI.hpp>

#include "config/load.h"

namespace berth::cli {

// Declares --listen, --admin, --affinity and so on. What is given on the command line lands in
// `overrides`, which must outlive the parse. A flag given twice is bad usage.
void add_config_flags(CLI::App& command, config::Overrides& overrides);

}  // namespace berth::cli
