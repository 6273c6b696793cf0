#include "observe/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

#include "observe/text.h"

namespace berth::observe {
namespace {

constexpr std::size_t kMaxLine = 4096;
constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Outside spdlog's registry, and never destroyed: a thread may still log while the process ends.
spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("berth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v", spdlog::pattern_time_type::utc));
    made->set_level(spdlog::level::info);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string_view log_level_name(LogLevel level) { return kNames[static_cast<std::size_t>(level)]; }

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool log_enabled(LogLevel level) {
  return level != LogLevel::kOff && logger().should_log(spdlog_level(level));
}

void log_line(LogLevel level, std::string_view text) {
  if (log_enabled(level)) logger().log(spdlog_level(level), printable(text, kMaxLine));
}

}  // namespace berth::observe
