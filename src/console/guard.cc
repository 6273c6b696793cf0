#include "console/guard.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <optional>

#include "base/keyed_hash.h"

namespace berth::console {
namespace {

namespace ip = boost::asio::ip;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The host of "host", "host:port", "[v6]" or "[v6]:port", without brackets; absent when it is none
// of these.
std::optional<std::string_view> host_of(std::string_view authority) {
  std::string_view host;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
  } else {
    const auto colon = authority.find(':');
    host = authority.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : authority.substr(colon);
  }
  if (host.empty()) return std::nullopt;
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
  return host;
}

std::optional<ip::address> as_address(std::string_view text) {
  boost::system::error_code error;
  ip::address address = ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  return address;
}

bool same_host(std::string_view a, std::string_view b) {
  if (http::iequals(a, b)) return true;
  const auto left = as_address(a);
  return left && left == as_address(b);
}

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;
Digest digest_of(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}
std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

bool host_allowed(const http::Headers& headers, const HostPolicy& policy) {
  if (headers.count("host") != 1) return false;
  const auto host = host_of(headers.get("host"));
  if (!host) return false;
  if (same_host(*host, "localhost") || same_host(*host, policy.bound)) return true;
  const auto named = [&host](const std::string& name) { return same_host(*host, name); };
  if (std::any_of(policy.extra.begin(), policy.extra.end(), named)) return true;
  const auto address = as_address(*host);
  if (!address) return false;
  if (address->is_loopback()) return true;
  const auto bound = as_address(policy.bound);
  return bound && bound->is_unspecified();
}

bool origin_allowed(const http::Headers& headers) {
  const std::string_view site = headers.get("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") return false;
  if (!headers.has("origin")) return true;
  if (headers.count("origin") != 1) return false;
  std::string_view origin = headers.get("origin");
  // A proxy in front may speak TLS, so either scheme is the same origin as long as the authority
  // is.
  if (origin.starts_with("http://")) {
    origin.remove_prefix(7);
  } else if (origin.starts_with("https://")) {
    origin.remove_prefix(8);
  } else {
    return false;
  }
  return !origin.empty() && http::iequals(origin, headers.get("host"));
}

TokenCheck check_token(const http::Headers& headers, std::string_view token) {
  if (token.empty()) return TokenCheck::kNotConfigured;
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view value = headers.get("authorization");
  if (value.size() <= kScheme.size() || !http::iequals(value.substr(0, kScheme.size()), kScheme)) {
    return TokenCheck::kMissing;
  }
  // Digests have one length, so the comparison tells nothing of the token's.
  const Digest given = digest_of(value.substr(kScheme.size()));
  const Digest wanted = digest_of(token);
  return equal_in_constant_time(view_of(given), view_of(wanted)) ? TokenCheck::kOk
                                                                 : TokenCheck::kWrong;
}

}  // namespace berth::console
