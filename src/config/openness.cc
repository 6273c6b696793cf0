#include "config/openness.h"

#include <fmt/format.h>

#include "config/address.h"

namespace berth::config {

bool is_open(const Config& config) {
  return !config.listen.is_loopback() && config.client_keys.empty();
}

std::optional<std::string> open_listener_problem(const Config& config) {
  if (!is_open(config) || config.allow_open_listener) return std::nullopt;
  return fmt::format(
      "{} can be reached from other machines and no client keys are set; add [[client_key]] "
      "entries, listen "
      "on 127.0.0.1, or set allow_open_listener = true (BERTH_ALLOW_OPEN_LISTENER=on)",
      format_address(config.listen));
}

std::optional<std::string> open_admin_problem(const Config& config) {
  if (config.admin.is_loopback() || config.admin_token_file) return std::nullopt;
  return fmt::format(
      "{} can be reached from other machines; set admin_token_file, or listen on 127.0.0.1",
      format_address(config.admin));
}

}  // namespace berth::config
