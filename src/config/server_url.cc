#include "config/server_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace berth::config {
namespace {

bool is_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_ipv6_byte(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

bool is_path_byte(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kConfig, std::move(message));
}

struct Authority {
  std::string host;  // with brackets for IPv6
  std::string_view port;
};

std::optional<Authority> split_authority(const std::string& authority) {
  const std::string_view text = authority;
  const bool ipv6 = text.starts_with('[');
  const std::size_t host_end = ipv6 ? text.find(']') : text.find(':');
  if (ipv6 && host_end == std::string_view::npos) return std::nullopt;
  const std::size_t end = ipv6 ? host_end + 1 : std::min(host_end, text.size());
  const std::string_view name = ipv6 ? text.substr(1, host_end - 1) : text.substr(0, end);
  if (name.empty() || !std::all_of(name.begin(), name.end(), ipv6 ? is_ipv6_byte : is_host_byte)) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(end);
  if (rest.empty()) return Authority{std::string(text.substr(0, end)), {}};
  if (rest.front() != ':' || rest.size() == 1) return std::nullopt;
  return Authority{std::string(text.substr(0, end)), rest.substr(1)};
}

Result<std::string> port_suffix(std::string_view port, bool tls) {
  if (port.empty()) return std::string();
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc() || end != port.data() + port.size() || value == 0) {
    return refuse(fmt::format("\"{}\" is not a port; ports go from 1 to 65535", port));
  }
  return value == (tls ? 443 : 80) ? std::string() : fmt::format(":{}", value);
}

Result<std::string> checked_path(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.find_first_of("?#") != std::string_view::npos) {
    return refuse(
        "must not hold a query or a fragment; to name the ranks of a server, give "
        "data_parallel_size");
  }
  if (!std::all_of(path.begin(), path.end(), is_path_byte)) {
    return refuse("must not hold spaces, quotes or characters outside ASCII");
  }
  if (path.ends_with("/v1")) {
    return refuse("must not end in /v1: Berth adds the path of each API itself");
  }
  return std::string(path);
}

}  // namespace

Result<std::string> normalize_server_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  const bool has_scheme = scheme_end != std::string_view::npos;
  const std::size_t authority_start = has_scheme ? scheme_end + 3 : 0;
  const std::size_t at_sign = text.find('@', authority_start);
  // Without a scheme nobody can tell where the authority ends.
  const bool in_authority = !has_scheme || at_sign < text.find_first_of("/?#", authority_start);
  if (at_sign != std::string_view::npos && in_authority) {
    return refuse("must not hold user information (NAME:PASSWORD@); give the key as api_key_file");
  }
  if (!has_scheme) {
    return refuse(fmt::format("expected a URL such as \"http://gpu0:8000\", found \"{}\"{}", text,
                              text.empty() ? "" : "; begin it with http:// or https://"));
  }
  const std::string scheme = lower(text.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https") {
    return refuse(fmt::format("\"{}\" is not a scheme Berth speaks; use http or https", scheme));
  }
  const std::string_view rest = text.substr(scheme_end + 3);
  const std::size_t path_start = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string authority = lower(rest.substr(0, path_start));
  const auto parts = split_authority(authority);
  if (!parts) return refuse(fmt::format("\"{}\" is not HOST or HOST:PORT", authority));
  const auto port = port_suffix(parts->port, scheme == "https");
  if (!port) return tl::unexpected(port.error());
  const auto path = checked_path(rest.substr(path_start));
  if (!path) return tl::unexpected(path.error());
  return fmt::format("{}://{}{}{}", scheme, parts->host, *port, *path);
}

}  // namespace berth::config
