#include "observe/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "observe/log_sink.h"
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

std::unique_ptr<spdlog::formatter> line_format() {
  return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
                                                     spdlog::pattern_time_type::utc);
}

// One line at a time, to the outlet if there is one. The base has the lock.
class Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink() { set_formatter(line_format()); }

  void set_outlet(LogOutlet outlet) {
    const std::scoped_lock lock(mutex_);
    outlet_ = std::move(outlet);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (outlet_) return outlet_(std::string(line.data(), line.size()));
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
  }
  void flush_() override {}

 private:
  LogOutlet outlet_;
};

// Never destroyed, like the logger: a thread may still log while the process ends.
const std::shared_ptr<Sink>& sink() {
  static const auto* const instance = new std::shared_ptr<Sink>(std::make_shared<Sink>());
  return *instance;
}

// Outside spdlog's registry.
spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("berth", sink());
    made->set_level(spdlog::level::info);
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

void set_log_outlet(LogOutlet outlet) { sink()->set_outlet(std::move(outlet)); }

std::string finished_log_line(LogLevel level, std::string_view text) {
  spdlog::memory_buf_t line;
  line_format()->format(spdlog::details::log_msg("berth", spdlog_level(level), text), line);
  return {line.data(), line.size()};
}

}  // namespace berth::observe
