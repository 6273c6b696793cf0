#include "gateway/identify_request.h"

#include "routing/packed_key.h"

namespace berth::gateway {

namespace {

routing::Identity named_identity(const IdentifyInputs& in) {
  routing::IdentityInputs rules_in;
  rules_in.header = [head = in.head](std::string_view name) { return head->headers.get(name); };
  rules_in.prompt_cache_key = in.body->prompt_cache_key;
  rules_in.metadata_session = in.body->metadata_session;
  rules_in.chain = in.body->chain;
  rules_in.looks_like_side_request = in.body->looks_like_side_request;
  return routing::identify(rules_in, *in.rules);
}

}  // namespace

routing::RequestFacts identify_request(const IdentifyInputs& in, Model& model, Instant now) {
  routing::RequestFacts facts;
  facts.rank_blind = in.endpoint->rank_blind;
  facts.body_bytes = in.body_bytes;
  facts.servers = in.servers;
  if (!in.endpoint->has_conversation && !in.endpoint->side) {
    facts.kind = routing::RequestKind::kUnbindable;
    return facts;
  }
  const routing::Identity identity = named_identity(in);
  facts.kind = in.endpoint->side ? routing::RequestKind::kSide : identity.kind;
  facts.declared_turn = identity.declared_turn;
  facts.prefer_home = in.endpoint->side;
  facts.tools = static_cast<std::uint32_t>(in.body->tools);
  facts.identity = identity.source;
  facts.fork = identity.fork;
  if (identity.source != routing::IdentitySource::kNone) {
    facts.conversation =
        routing::ConversationKey{in.tenant, in.upstream_model, identity.session, identity.agent};
    if (!identity.parent_session.empty()) {
      facts.parent = routing::ConversationKey{in.tenant, in.upstream_model, identity.parent_session,
                                              identity.parent_agent};
    }
  }
  // With a previous response named, the body holds only the end of the history.
  if (in.rules->by_content() && !in.body->has_previous_response) {
    model.with_router([&](routing::ModelRouter& router) {
      router.identify_by_content(facts, in.body->chain, in.tenant, in.upstream_model, now);
    });
  }
  if (facts.conversation) facts.hashes = conversation_hashes(*in.hash, *facts.conversation);
  return facts;
}

routing::ConversationHashes conversation_hashes(const KeyedHash& hash,
                                                const routing::ConversationKey& key) {
  return {hash.value(key.session), hash.value(routing::PackedKey(key).bytes())};
}

}  // namespace berth::gateway
