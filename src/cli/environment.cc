#include "cli/environment.h"

#include <unistd.h>

#include <string_view>

namespace berth::cli {

std::map<std::string, std::string> berth_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (!text.starts_with("BERTH_") || equals == std::string_view::npos) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace berth::cli
