#include "config/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace berth::config {
namespace {

constexpr std::string_view kExample = "expected HOST:PORT such as \"127.0.0.1:8080\"";

bool is_ipv4(const std::string& host) {
  in_addr parsed{};
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

// The canonical spelling, so that "::1" and "0:0:0:0:0:0:0:1" are the same address.
std::optional<std::string> canonical_ipv6(const std::string& host) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, host.c_str(), &parsed) != 1) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &parsed, text.data(), text.size());
  return std::string(text.data());
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = stop == text.data() + text.size();
  if (text.empty() || error != std::errc() || !whole) return std::nullopt;
  return port;
}

Result<Address> with_port(std::string host, std::string_view port_text) {
  const auto port = parse_port(port_text);
  if (!port) {
    return fail(
        ErrorCode::kConfig,
        fmt::format("\"{}\" is not a port; ports go from 0 (any free one) to 65535", port_text));
  }
  return Address{std::move(host), *port};
}

Result<Address> parse_ipv6(std::string_view text) {
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos || text.substr(close + 1, 1) != ":") {
    return fail(ErrorCode::kConfig, fmt::format("expected \"[ADDRESS]:PORT\", found \"{}\"", text));
  }
  const auto host = canonical_ipv6(std::string(text.substr(1, close - 1)));
  if (!host) {
    return fail(ErrorCode::kConfig,
                fmt::format("\"{}\" is not an IPv6 address", text.substr(1, close - 1)));
  }
  return with_port(*host, text.substr(close + 2));
}

bool is_wildcard(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

}  // namespace

bool Address::is_loopback() const {
  return host.starts_with("127.") || host == "::1" || host.starts_with("::ffff:127.");
}

Result<Address> parse_address(std::string_view text) {
  if (text.starts_with('[')) return parse_ipv6(text);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    if (const auto port = parse_port(text)) return Address{"127.0.0.1", *port};
    return fail(ErrorCode::kConfig, fmt::format("{}, found \"{}\"", kExample, text));
  }
  if (text.find("://") != std::string_view::npos) {
    return fail(ErrorCode::kConfig, fmt::format("{}, without a scheme", kExample));
  }
  if (text.find(':', colon + 1) != std::string_view::npos) {
    return fail(
        ErrorCode::kConfig,
        fmt::format("an IPv6 address needs brackets, as in \"[::1]:8080\", found \"{}\"", text));
  }
  if (colon == 0) {
    return fail(
        ErrorCode::kConfig,
        fmt::format("say which interface: \"127.0.0.1{0}\" for this machine only, \"0.0.0.0{0}\" "
                    "for all",
                    text));
  }
  std::string host(text.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  if (!is_ipv4(host)) {
    return fail(
        ErrorCode::kConfig,
        fmt::format("\"{}\" is not an IP address (nor localhost); a listener binds to an address, "
                    "not to a name",
                    host));
  }
  return with_port(std::move(host), text.substr(colon + 1));
}

std::string format_address(const Address& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
              : fmt::format("{}:{}", address.host, address.port);
}

bool addresses_collide(const Address& a, const Address& b) {
  if (a.port == 0 || a.port != b.port) return false;
  return a.host == b.host || is_wildcard(a.host) || is_wildcard(b.host);
}

}  // namespace berth::config
