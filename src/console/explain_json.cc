#include "console/explain_json.h"

#include "console/plain_words.h"
#include "console/shares.h"

namespace berth::console {
namespace {

using observe::FleetStatus;
using observe::ModelExplanation;
using observe::ModelStatus;
using routing::DecisionRecord;
using routing::Outcome;

const ModelStatus* find_model(const FleetStatus& fleet, const std::string& name) {
  for (const ModelStatus& model : fleet.models) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

Json label_of(const ModelStatus* model, routing::ReplicaIndex index) {
  if (model == nullptr) return nullptr;
  for (const observe::ReplicaStatus& replica : model->replicas) {
    if (replica.routing.index == index) return replica.routing.spec.label;
  }
  return nullptr;
}

Json or_null(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json usage_json(const routing::Usage& usage) {
  Json json;
  json["prompt_tokens"] = or_null(usage.prompt_tokens);
  json["cached_tokens"] = or_null(usage.cached_tokens);
  json["output_tokens"] = or_null(usage.output_tokens);
  return json;
}

Json seen_json(const routing::ReplicaView& view, const ModelStatus* model) {
  Json json;
  json["index"] = view.replica;
  json["label"] = label_of(model, view.replica);
  json["in_flight"] = view.in_flight;
  json["unranked_share"] = view.unranked_share;
  json["resident"] = view.resident;
  json["resident_tokens"] = view.resident_tokens;
  json["kv_usage"] = view.kv_usage;
  json["eligible"] = view.eligible;
  return json;
}

Json decision_json(const DecisionRecord& decision, const ModelStatus* model, Instant now) {
  Json json;
  json["age_s"] = seconds_json(now - decision.at);
  json["outcome"] = routing::outcome_name(decision.outcome);
  json["reason"] = routing::reason_name(decision.reason);
  json["because"] = reason_words(decision.reason);
  json["replica"] = decision.replica ? Json(*decision.replica) : Json(nullptr);
  json["label"] = decision.replica ? label_of(model, *decision.replica) : Json(nullptr);
  json["seen"] = Json::array();
  for (const routing::ReplicaView& view : decision.seen) {
    json["seen"].push_back(seen_json(view, model));
  }
  return json;
}

// The decision that made the home what it is: the last that placed or moved the conversation there.
// Absent when it is older than the history kept.
const DecisionRecord* choice_of_home(const routing::Explanation& explanation) {
  const auto& history = explanation.history;
  for (auto it = history.rbegin(); it != history.rend(); ++it) {
    const bool chooses = it->outcome == Outcome::kPlaced || it->outcome == Outcome::kMoved ||
                         it->outcome == Outcome::kFailover;
    if (chooses && it->replica == explanation.home) return &*it;
  }
  return nullptr;
}

Json home_json(const ModelExplanation& found, const ModelStatus* model, Instant now) {
  Json json;
  json["index"] = found.explanation.home;
  json["label"] = found.home_label;
  json["bound_since_s"] = seconds_json(found.bound_age);
  const DecisionRecord* choice = choice_of_home(found.explanation);
  json["chosen_by"] = choice != nullptr ? decision_json(*choice, model, now) : Json(nullptr);
  return json;
}

Json conversation_json(const ModelExplanation& found, const FleetStatus& fleet,
                       const observe::StatusSource& source, Instant now) {
  const routing::Explanation& explanation = found.explanation;
  const ModelStatus* model = find_model(fleet, found.model);
  Json json;
  json["model"] = found.model;
  json["served_as"] = explanation.key.model;
  json["tenant"] = explanation.key.tenant;
  json["conversation"] = found.conversation;
  json["session"] = source.hash_of(explanation.key.session);
  json["agent"] =
      explanation.key.agent.empty() ? Json(nullptr) : Json(source.hash_of(explanation.key.agent));
  json["identity"] = routing::identity_source_name(explanation.identity);
  json["identity_text"] = identity_words(explanation.identity);
  json["home"] = home_json(found, model, now);
  json["stand_in"] = explanation.stand_in ? label_of(model, *explanation.stand_in) : Json(nullptr);
  json["idle_since_s"] = seconds_json(found.idle);
  json["turns"] = explanation.turns;
  json["tokens"] = explanation.tokens;
  json["tokens_exact"] = explanation.tokens_exact;
  json["last_usage"] = usage_json(explanation.last_usage);
  json["history"] = Json::array();
  for (const DecisionRecord& decision : explanation.history) {
    json["history"].push_back(decision_json(decision, model, now));
  }
  return json;
}

}  // namespace

Json explain_json(const std::vector<ModelExplanation>& found, const FleetStatus& fleet,
                  const observe::StatusSource& source, Instant now) {
  Json json;
  json["schema"] = 1;
  json["session"] =
      found.empty() ? Json(nullptr) : Json(source.hash_of(found.front().explanation.key.session));
  json["conversations"] = Json::array();
  for (const ModelExplanation& conversation : found) {
    json["conversations"].push_back(conversation_json(conversation, fleet, source, now));
  }
  return json;
}

}  // namespace berth::console
