#include "routing/packed_key.h"

#include <array>

#include "base/check.h"
#include "routing/stable_hash.h"

namespace berth::routing {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kPrefixed = 3;  // tenant, model, session; the agent is the rest

void append(std::string& out, std::string_view part) {
  BERTH_CHECK(part.size() <= 0xffffffffULL);
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    out.push_back(static_cast<char>((part.size() >> (8 * i)) & 0xff));
  }
  out.append(part);
}

std::size_t length_at(std::string_view bytes, std::size_t at) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return length;
}

std::array<std::string_view, kPrefixed + 1> parts(std::string_view bytes) {
  std::array<std::string_view, kPrefixed + 1> out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kPrefixed; ++i) {
    const std::size_t length = length_at(bytes, at);
    out[i] = bytes.substr(at + kLengthBytes, length);
    at += kLengthBytes + length;
  }
  out[kPrefixed] = bytes.substr(at);
  return out;
}

}  // namespace

PackedKey::PackedKey(const ConversationKey& key) {
  bytes_.reserve(kPrefixed * kLengthBytes + key.tenant.size() + key.model.size() +
                 key.session.size() + key.agent.size());
  append(bytes_, key.tenant);
  append(bytes_, key.model);
  append(bytes_, key.session);
  bytes_.append(key.agent);
}

std::string_view PackedKey::session() const { return parts(bytes_)[2]; }

std::string_view PackedKey::agent() const { return parts(bytes_)[3]; }

ConversationKey PackedKey::unpack() const {
  const auto [tenant, model, session, agent] = parts(bytes_);
  return {std::string(tenant), std::string(model), std::string(session), std::string(agent)};
}

std::uint64_t placement_hash(const ConversationKey& key) {
  return sip_hash(kStableKey, PackedKey({"", key.model, key.session, key.agent}).bytes());
}

}  // namespace berth::routing
