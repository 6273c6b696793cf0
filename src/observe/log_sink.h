// Between log.cc and log_writer.cc: where the process log's finished lines go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "observe/log.h"

namespace berth::observe {

// Takes one whole line with its line end; called under the log's lock by whoever logs, so it must
// not wait and must not log.
using LogOutlet = std::function<void(std::string line)>;

// From now on lines go to `outlet`; empty: to standard error, before log_line() returns. Any
// thread.
void set_log_outlet(LogOutlet outlet);

// A line as it is written, whatever the level now is. Any thread.
std::string finished_log_line(LogLevel level, std::string_view text);

}  // namespace berth::observe
