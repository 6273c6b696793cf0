#include "config/text_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"

namespace berth::config {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kLongestHost = 253;

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

// tchar of RFC 9110, section 5.6.2.
bool is_token_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

void to_lower(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

std::optional<std::string> check_name(const std::string& text) {
  if (text.empty()) return std::string("must not be empty");
  if (text.size() > kLongestName) {
    return fmt::format("is {} characters long; at most {} are allowed", text.size(), kLongestName);
  }
  if (!std::all_of(text.begin(), text.end(), is_visible) || text.find('"') != std::string::npos) {
    return std::string("must be visible ASCII characters without blanks and quotes");
  }
  return std::nullopt;
}

std::optional<std::string> check_choice(const Rule& rule, const std::string& text) {
  if (std::find(rule.choices.begin(), rule.choices.end(), text) != rule.choices.end()) {
    return std::nullopt;
  }
  std::string hint = did_you_mean(text, rule.choices);
  for (const auto& [name, meant] : rule.elsewhere) {
    if (name == text) hint = fmt::format("; did you mean {}?", meant);
  }
  return fmt::format("\"{}\" is not one of {}{}", text, fmt::join(rule.choices, ", "), hint);
}

// What is in a header of an id is kept in the state directory, in plain text.
constexpr std::array<std::string_view, 4> kCredentialHeaders = {
    "authorization", "proxy-authorization", "x-api-key", "cookie"};

// What is in this one is written to the access log as the client sent it; an id of a conversation
// goes there as a keyed hash only.
constexpr std::string_view kLoggedHeader = "x-request-id";

std::optional<std::string> check_header(std::string& text) {
  to_lower(text);
  if (text == kLoggedHeader) {
    return fmt::format(
        "\"{}\" names one request, and the access log shows it as it was sent; name a header with "
        "the conversation's id",
        text);
  }
  if (std::find(kCredentialHeaders.begin(), kCredentialHeaders.end(), text) !=
      kCredentialHeaders.end()) {
    return fmt::format(
        "\"{}\" holds a credential: it would be kept in the state directory, and all conversations "
        "of a client would be one; name a header with the conversation's id",
        text);
  }
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_token_byte)) return std::nullopt;
  return fmt::format("\"{}\" is not the name of an HTTP header", text);
}

bool is_ipv6(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

std::optional<std::string> check_host(std::string& text) {
  to_lower(text);
  const auto is_host_byte = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  const bool name = !text.empty() && std::all_of(text.begin(), text.end(), is_host_byte);
  if (text.size() <= kLongestHost && (name || is_ipv6(text))) return std::nullopt;
  return fmt::format("\"{}\" is not the name of a host; give it without scheme and port", text);
}

std::optional<std::string> check_digest(std::string& text) {
  to_lower(text);
  const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && text.size() == kDigestDigits) return std::nullopt;
  return fmt::format("expected the SHA-256 of the key as {} hex digits, found {} characters{}",
                     kDigestDigits, text.size(), hex ? "" : " that are not all hex digits");
}

std::optional<std::string> check_plain(const std::string& text) {
  if (text.size() > kLongestText) {
    return fmt::format("is {} bytes long; at most {} are allowed", text.size(), kLongestText);
  }
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), control)) {
    return std::string("must not hold control characters");
  }
  return std::nullopt;
}

}  // namespace

std::string_view text_type_phrase(Text kind) {
  switch (kind) {
    case Text::kPath:
      return "a path";
    case Text::kOutput:
      return "a path, \"-\" or \"off\"";
    case Text::kName:
    case Text::kChoice:
      return "a name";
    case Text::kHeader:
      return "the name of an HTTP header";
    case Text::kHost:
      return "the name of a host";
    case Text::kDigest:
      return "64 hex digits";
    case Text::kAny:
      break;
  }
  return "a text";
}

std::optional<std::string> apply_text_rule(const Rule& rule, std::string& text) {
  switch (rule.text) {
    case Text::kName:
      return check_name(text);
    case Text::kChoice:
      return check_choice(rule, text);
    case Text::kHeader:
      return check_header(text);
    case Text::kHost:
      return check_host(text);
    case Text::kDigest:
      return check_digest(text);
    case Text::kOutput:
      if (text == "off") text.clear();
      return check_plain(text);
    case Text::kPath:
    case Text::kAny:
      return check_plain(text);
  }
  return std::nullopt;
}

std::optional<std::string> check_secret(std::string_view secret) {
  if (secret.empty()) return std::string("must not be empty");
  if (secret.size() > kLongestText) {
    return fmt::format("is {} bytes long; at most {} are allowed", secret.size(), kLongestText);
  }
  if (!std::all_of(secret.begin(), secret.end(), is_visible)) {
    return std::string(
        "must be visible ASCII characters: it holds a blank, a line end or another character");
  }
  return std::nullopt;
}

std::vector<std::string_view> split_words(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\r\n";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(kBetween);
    if (start == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(kBetween, start), text.size());
    words.push_back(text.substr(start, end - start));
    text.remove_prefix(end);
  }
}

}  // namespace berth::config
