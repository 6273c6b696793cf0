#include <fmt/format.h>

#include <charconv>

#include "http/chars.h"
#include "http/client.h"
#include "http/head.h"
#include "net/address.h"

namespace berth::http {
namespace {

tl::unexpected<Error> bad_url(std::string_view text, std::string_view why) {
  // A URL with a password in it must not be repeated.
  if (text.find('@') != std::string_view::npos) text = "(URL with user info)";
  return fail(ErrorCode::kConfig, fmt::format("bad URL '{}': {}", text, why));
}

bool is_host_name(std::string_view host) {
  for (const char c : host) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && c != '.' && c != '-' && c != '_') return false;
  }
  return !host.empty();
}

bool is_ipv6(std::string_view host) {
  net::error_code ec;
  net::asio::ip::make_address_v6(std::string(host), ec);
  return !ec;
}

// Splits "host", "host:port" or "[v6]:port". An empty string is success; else it says what is
// wrong.
std::string_view split_authority(std::string_view authority, Url& url) {
  std::string_view port_text;
  bool has_port = false;
  if (authority.substr(0, 1) == "[") {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return "the IPv6 address has no closing bracket";
    url.host = authority.substr(1, close - 1);
    if (!is_ipv6(url.host)) return "what stands in brackets is no IPv6 address";
    const auto after = authority.substr(close + 1);
    has_port = after.substr(0, 1) == ":";
    if (!after.empty() && !has_port) return "only a port may follow the bracket";
    port_text = after.substr(has_port ? 1 : 0);
  } else {
    const auto colon = authority.find(':');
    has_port = colon != std::string_view::npos;
    url.host = authority.substr(0, colon);
    if (!is_host_name(url.host))
      return url.host.empty() ? "the host is missing"
                              : "the host has a character that is not allowed";
    if (has_port) port_text = authority.substr(colon + 1);
    if (port_text.find(':') != std::string_view::npos) return "an IPv6 address needs brackets";
  }
  if (!has_port) return {};
  unsigned port = 0;
  const auto [end, ec] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (!is_digits(port_text) || ec != std::errc{} || port == 0 || port > 65535)
    return "the port must be 1 to 65535";
  url.port = static_cast<std::uint16_t>(port);
  return {};
}

}  // namespace

std::string Url::authority() const { return net::join_host_port(host, port); }

Result<Url> parse_url(std::string_view text) {
  Url url;
  auto rest = text;
  if (iequals(rest.substr(0, 7), "http://")) {
    rest.remove_prefix(7);
  } else if (iequals(rest.substr(0, 8), "https://")) {
    rest.remove_prefix(8);
    url.tls = true;
    url.port = 443;
  } else {
    return bad_url(text, "it must begin with http:// or https://");
  }
  for (const char c : rest) {
    if (c <= 0x20 || c > 0x7e)
      return bad_url("", "it holds a space or a byte outside printable ASCII");
  }
  if (rest.find('@') != std::string_view::npos)
    return bad_url(text, "user info is not allowed; configure the credential instead");
  if (rest.find('?') != std::string_view::npos) return bad_url(text, "a query is not allowed");
  if (rest.find('#') != std::string_view::npos) return bad_url(text, "a fragment is not allowed");
  const auto slash = rest.find('/');
  if (const auto why = split_authority(rest.substr(0, slash), url); !why.empty())
    return bad_url(text, why);
  if (slash != std::string_view::npos) url.prefix = rest.substr(slash);
  while (!url.prefix.empty() && url.prefix.back() == '/') url.prefix.pop_back();
  return url;
}

}  // namespace berth::http
