#include "http/header_lines.h"

#include "http/chars.h"

namespace berth::http {

std::string_view start_line(std::string_view raw) noexcept {
  return raw.substr(0, raw.find("\r\n"));
}

Accepted<void> split_headers(std::string_view raw, Headers& out) {
  auto rest = raw.substr(start_line(raw).size() + 2);
  for (auto line = start_line(rest); !line.empty(); line = start_line(rest)) {
    rest.remove_prefix(line.size() + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return refuse("a header line without a colon");
    const auto name = line.substr(0, colon);
    if (name.empty()) return refuse("a header line without a name");
    if (!is_token(name)) return refuse("a header name holds a character that is not allowed");
    out.add(name, trim(line.substr(colon + 1)));
  }
  return {};
}

}  // namespace berth::http
