// Any text as a configuration file: it is accepted or refused with a reason, and what is accepted
// can be printed, both ways, and compared with itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/load.h"
#include "config/reload.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = berth::config::load_text("fuzz.toml", text);
  if (!config) {
    BERTH_CHECK(config.error().code == berth::ErrorCode::kConfig);
    BERTH_CHECK(!config.error().message.empty());
    return 0;
  }
  BERTH_CHECK(!config->servers.empty());
  BERTH_CHECK(!berth::config::describe(*config).empty());
  BERTH_CHECK(!berth::config::describe_json(*config).empty());
  BERTH_CHECK(berth::config::plan_reload(*config, *config).empty());
  return 0;
}
