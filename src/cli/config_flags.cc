#include "cli/config_flags.h"

#include <array>
#include <string>

namespace berth::cli {
namespace {

struct Flag {
  const char* name;
  const char* key;  // of config::Config
  const char* help;
};

constexpr std::array kFlags = {
    Flag{"--listen", "listen", "Address for clients [127.0.0.1:8080]"},
    Flag{"--admin", "admin", "Address of the admin API [127.0.0.1:9090]"},
    Flag{"--admin-token-file", "admin_token_file",
         "File with the token that allows changes through the admin API"},
    Flag{"--log-level", "log_level", "debug, info, warning, error or off [info]"},
    Flag{"--state-dir", "state_dir", "Folder where bindings survive a restart"},
    Flag{"--affinity", "defaults.affinity", "on or off, for every model [on]"},
    Flag{"--policy", "defaults.policy",
         "sticky, session-hash, round-robin or least-loaded [sticky]"},
    Flag{"--overflow-threshold", "defaults.overflow_threshold",
         "Requests in flight past which a home overflows, or auto [auto]"},
    Flag{"--max-num-seqs", "defaults.max_num_seqs",
         "The engines' --max-num-seqs; auto is a quarter of it [assumed 32]"},
};

}  // namespace

void add_config_flags(CLI::App& command, config::Overrides& overrides) {
  for (const Flag& flag : kFlags) {
    const std::string key = flag.key;
    const auto keep = [&overrides, key](const std::string& value) { overrides.flags[key] = value; };
    command.add_option_function<std::string>(flag.name, keep, flag.help)
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  }
}

}  // namespace berth::cli
