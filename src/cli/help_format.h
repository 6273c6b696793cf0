// How --help shows an option: its name and what it takes in plain words on the left ("--replicas
// N"), then what it means, the values it may have and its default.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace berth::cli {

// Commands added to an app after it was given this have it, too.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace berth::cli
