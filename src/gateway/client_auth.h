// Who is calling: checks the client's key, where keys are configured, and names the tenant.
//
// Immutable after construction; shared between threads, replaced whole by a reload. Keys are kept
// and compared as SHA-256 digests, all of them every time and in constant time, so neither a wrong
// key's first bytes nor its place in the list can be measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/keyed_hash.h"
#include "base/result.h"
#include "config/schema.h"
#include "http/head.h"

namespace berth::gateway {

class ClientAuth {
 public:
  ClientAuth(std::vector<config::ClientKey> keys, KeyedHash hash);

  // The tenant: the key's name where keys are configured; else a keyed hash of the credential, or
  // "anonymous" without one. kUnauthorized when keys are configured and the request shows none of
  // them.
  Result<std::string> tenant_of(const http::Headers& headers) const;
  bool required() const { return !keys_.empty(); }

 private:
  std::vector<config::ClientKey> keys_;
  KeyedHash hash_;
};

// The credential of a request, from `Authorization: Bearer` or `x-api-key`; empty when there is
// none. When both are present and one is a configured key, either is accepted (Claude Code's
// apiKeyHelper sends both).
std::vector<std::string_view> credentials_of(const http::Headers& headers);

}  // namespace berth::gateway
