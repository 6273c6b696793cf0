#include "gateway/client_auth.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace berth::gateway {

namespace {

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  BERTH_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) ==
              1);
  std::string out;
  for (unsigned int i = 0; i < length; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::string_view bearer(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return {};
  if (!http::iequals(authorization.substr(0, kScheme.size()), kScheme)) return {};
  std::string_view token = authorization.substr(kScheme.size());
  while (!token.empty() && token.front() == ' ') token.remove_prefix(1);
  return token;
}

}  // namespace

std::vector<std::string_view> credentials_of(const http::Headers& headers) {
  std::vector<std::string_view> found;
  if (const auto token = bearer(headers.get("authorization")); !token.empty())
    found.push_back(token);
  if (const auto key = headers.get("x-api-key"); !key.empty()) found.push_back(key);
  return found;
}

ClientAuth::ClientAuth(std::vector<config::ClientKey> keys, KeyedHash hash)
    : keys_(std::move(keys)), hash_(hash) {}

Result<std::string> ClientAuth::tenant_of(const http::Headers& headers) const {
  const std::vector<std::string_view> shown = credentials_of(headers);
  if (keys_.empty()) return shown.empty() ? std::string("anonymous") : hash_.hex(shown.front());
  const std::string* tenant = nullptr;
  for (const std::string_view credential : shown) {
    const std::string digest = sha256_hex(credential);
    for (const config::ClientKey& key : keys_) {
      if (equal_in_constant_time(digest, key.sha256_hex)) tenant = &key.name;
    }
  }
  if (tenant != nullptr) return *tenant;
  return fail(ErrorCode::kUnauthorized,
              shown.empty()
                  ? "this gateway needs a key: send it as `Authorization: Bearer` or `x-api-key`"
                  : "the key sent is not one of this gateway's client keys");
}

}  // namespace berth::gateway
