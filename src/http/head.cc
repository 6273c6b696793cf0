#include "http/head.h"

#include <algorithm>
#include <array>

#include "http/token_list.h"

namespace berth::http {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool comes_before(std::string_view a, std::string_view b) noexcept {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](char x, char y) { return lower(x) < lower(y); });
}

// Proxy-Connection, Proxy-Authenticate and Proxy-Authorization speak to the next hop (RFC 9110
// section 7.6.1, 11.7).
constexpr std::string_view kProxyPrefix = "proxy-";

constexpr std::array<std::string_view, 8> kHopByHop = {
    "connection",     "keep-alive",    "te", "trailer", "transfer-encoding", "upgrade",
    "http2-settings", "content-length"};

}  // namespace

bool iequals(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

std::string_view Headers::get(std::string_view name) const noexcept {
  for (const auto& header : items_) {
    if (iequals(header.name, name)) return header.value;
  }
  return {};
}

bool Headers::has(std::string_view name) const noexcept { return count(name) > 0; }

std::size_t Headers::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(items_.begin(), items_.end(),
                    [name](const Header& header) { return iequals(header.name, name); }));
}

HopByHop::HopByHop(const Headers& headers) {
  for (const auto& header : headers) {
    if (!iequals(header.name, "connection")) continue;
    std::string_view rest = header.value;
    for (auto name = next_list_element(rest); !name.empty(); name = next_list_element(rest)) {
      named_.push_back(name);
    }
  }
  std::sort(named_.begin(), named_.end(), comes_before);
  named_.erase(std::unique(named_.begin(), named_.end(), iequals), named_.end());
}

bool HopByHop::covers(std::string_view name) const noexcept {
  for (const auto known : kHopByHop) {
    if (iequals(known, name)) return true;
  }
  if (name.size() > kProxyPrefix.size() &&
      iequals(name.substr(0, kProxyPrefix.size()), kProxyPrefix))
    return true;
  return std::binary_search(named_.begin(), named_.end(), name, comes_before);
}

}  // namespace berth::http
