// From a request's head and body to what routing needs to know of it.
#pragma once

#include <memory>
#include <string>

#include "base/keyed_hash.h"
#include "gateway/model.h"
#include "http/head.h"
#include "inspect/api.h"
#include "inspect/request_facts.h"
#include "routing/identity.h"

namespace berth::gateway {

struct IdentifyInputs {
  const http::RequestHead* head = nullptr;
  const inspect::Endpoint* endpoint = nullptr;
  const inspect::BodyFacts* body = nullptr;
  const routing::IdentityRules* rules = nullptr;
  std::string tenant;
  std::string upstream_model;  // served name or adapter
  routing::Servers servers;    // that serve it
  std::size_t body_bytes = 0;
  const KeyedHash* hash = nullptr;
};

// Names the conversation by the identity rules or, when no client told, by content (which looks
// into the model's chain index under its mutex).
routing::RequestFacts identify_request(const IdentifyInputs& inputs, Model& model, Instant now);

// How a conversation and its session appear in logs and on pages, as KeyedHash::hex prints them.
// That of a conversation covers its whole key, part by part: tenants, models, and subagents of one
// session all look different.
routing::ConversationHashes conversation_hashes(const KeyedHash& hash,
                                                const routing::ConversationKey& key);

}  // namespace berth::gateway
