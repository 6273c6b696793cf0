#include "http/start_line.h"

#include <optional>

#include "http/chars.h"

namespace berth::http {
namespace {

struct Version {
  int major = 0;
  int minor = 0;
};

std::optional<Version> parse_version(std::string_view text) {
  if (text.size() != 8 || text.substr(0, 5) != "HTTP/" || text[6] != '.') return std::nullopt;
  if (!is_digits(text.substr(5, 1)) || !is_digits(text.substr(7, 1))) return std::nullopt;
  return Version{text[5] - '0', text[7] - '0'};
}

bool speaks_http1(Version version) { return version.major == 1 && version.minor <= 1; }

Accepted<void> check_target(std::string_view target) {
  if (target.empty() || target.front() != '/') {
    return refuse("the request target must begin with '/': this is no forward proxy");
  }
  for (const char c : target) {
    if (c < 0x21 || c > 0x7e)
      return refuse("the request target holds a byte outside printable ASCII");
    if (c == '#') return refuse("the request target holds a fragment");
  }
  return {};
}

tl::unexpected<Refusal> bad_response(std::string_view message) {
  return refuse(502, ErrorCode::kUpstreamBadResponse, message);
}

}  // namespace

Accepted<void> parse_request_line(std::string_view line, RequestHead& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return refuse("the request line is not `method target version`");
  }
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  if (!is_token(head.method)) return refuse("the method holds a character that is not allowed");

  const auto version = parse_version(line.substr(last + 1));
  if (!version) return refuse("the request line does not end with an HTTP version");
  if (!speaks_http1(*version)) {
    return refuse(505, ErrorCode::kUnsupported,
                  version->major == 2 ? "HTTP/2 is not spoken here: use HTTP/1.1"
                                      : "the HTTP version must be 1.0 or 1.1");
  }
  head.minor_version = version->minor;
  if (head.method == "CONNECT")
    return refuse(501, ErrorCode::kUnsupported, "CONNECT is not served");
  return check_target(head.target);
}

Accepted<void> parse_status_line(std::string_view line, ResponseHead& head) {
  const auto version = parse_version(line.substr(0, 8));
  if (!version || !speaks_http1(*version))
    return bad_response("the status line does not begin with HTTP/1.1 or HTTP/1.0");
  head.minor_version = version->minor;
  // "HTTP/1.1 200 OK"; some servers leave out the reason and the space before it.
  if (line.size() < 12 || line[8] != ' ' || !is_digits(line.substr(9, 3)) ||
      (line.size() > 12 && line[12] != ' ')) {
    return bad_response("the status line has no three-digit status");
  }
  head.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  if (head.status < 100 || head.status > 599)
    return bad_response("the status is outside 100 to 599");
  head.reason = line.size() > 13 ? line.substr(13) : std::string_view{};
  return {};
}

}  // namespace berth::http
