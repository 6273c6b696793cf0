// The character classes of RFC 9110 that a head is made of.
#pragma once

#include <string_view>

namespace berth::http {

// tchar of RFC 9110 section 5.6.2: what methods and header names consist of.
constexpr bool is_token_char(unsigned char c) noexcept {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
}

constexpr bool is_token(std::string_view text) noexcept {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!is_token_char(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

// What no part of a head may hold, apart from the CRLF that ends a line.
constexpr bool is_forbidden_in_head(unsigned char c) noexcept {
  return (c < 0x20 && c != '\t') || c == 0x7f;
}

constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

constexpr bool is_digits(std::string_view text) noexcept {
  if (text.empty()) return false;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

}  // namespace berth::http
