#include "console/etag.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <cstdint>

namespace berth::console {
namespace {

bool is_age(std::string_view key) {
  return key.ends_with("age_s") || key.ends_with("since_s") || key.ends_with("uptime_s");
}

void drop_ages(Json& json) {
  if (json.is_object()) {
    for (auto it = json.begin(); it != json.end();) {
      if (is_age(it.key())) {
        it = json.erase(it);
      } else {
        drop_ages(it.value());
        ++it;
      }
    }
  } else if (json.is_array()) {
    for (Json& item : json) drop_ages(item);
  }
}

std::string_view without_weak_mark(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string weak_etag(const Json& document) {
  Json steady = document;
  drop_ages(steady);
  const std::string text = steady.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string etag = "W/\"";
  for (std::size_t i = 0; i < 12; ++i) etag += fmt::format("{:02x}", digest[i]);
  return etag + '"';
}

bool etag_matches(std::string_view if_none_match, std::string_view etag) {
  if (trimmed(if_none_match) == "*") return true;
  // Our tags hold no comma, so a list can be cut at every comma.
  while (!if_none_match.empty()) {
    const auto comma = if_none_match.find(',');
    const std::string_view item = trimmed(if_none_match.substr(0, comma));
    if (!item.empty() && without_weak_mark(item) == without_weak_mark(etag)) return true;
    if (comma == std::string_view::npos) break;
    if_none_match.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace berth::console
