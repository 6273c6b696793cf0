#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace berth::cli {
namespace {

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kGood:
      return "32";
    case Style::kWarn:
      return "33";
    case Style::kBad:
      return "31";
  }
  return "";
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

std::string Terminal::styled(std::string_view text, Style style) const {
  const std::string_view code = code_of(style);
  if (!colour || code.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Terminal Terminal::of_stdout() {
  Terminal terminal;
  if (isatty(STDOUT_FILENO) == 0) return terminal;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  terminal.colour = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return terminal;
}

}  // namespace berth::cli
