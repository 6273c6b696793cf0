#include "console/plain_words.h"

#include "base/check.h"

namespace berth::console {

std::string_view reason_words(routing::Reason reason) {
  using routing::Reason;
  switch (reason) {
    case Reason::kNewConversation:
      return "it was a new conversation and there was room here";
    case Reason::kNearParent:
      return "it was a new conversation and its parent lives here";
    case Reason::kHome:
      return "this is its home";
    case Reason::kHomeBusyNoBetter:
      return "this is its home; it was past the overflow threshold, but no other replica had fewer "
             "in flight";
    case Reason::kHomeBusy:
      return "its home was past the overflow threshold; the home is kept";
    case Reason::kHomeStaysBusy:
      return "its home stayed past the overflow threshold and re-reading its history here was "
             "worth it";
    case Reason::kHomeDown:
      return "its home was down";
    case Reason::kHomeDraining:
      return "its home was being drained";
    case Reason::kHomeBack:
      return "the home it had before is up again";
    case Reason::kSideRequest:
      return "it was a side request (a title, a probe, a token count), which binds nothing";
    case Reason::kAffinityOff:
      return "affinity is off for this model";
    case Reason::kNoIdentity:
      return "nothing said which conversation it belongs to";
    case Reason::kRankBlind:
      return "this endpoint of vLLM ignores the rank that Berth asks for";
    case Reason::kPolicy:
      return "the model's policy chose it without looking for a home";
    case Reason::kTableFull:
      return "the table of bindings is full of active conversations, so a hash of the conversation "
             "decided";
    case Reason::kRetried:
      return "the replica tried first could not take the request";
  }
  BERTH_CHECK(false && "unknown reason");
  return "";
}

std::string_view identity_words(routing::IdentitySource source) {
  using routing::IdentitySource;
  switch (source) {
    case IdentitySource::kNone:
      return "nothing";
    case IdentitySource::kOperatorHeader:
      return "the operator's own header";
    case IdentitySource::kClaudeCode:
      return "Claude Code's session header";
    case IdentitySource::kCodexThread:
      return "Codex's thread header";
    case IdentitySource::kCodexSession:
      return "Codex's session header";
    case IdentitySource::kSessionAffinity:
      return "the x-session-affinity header";
    case IdentitySource::kSessionId:
      return "the x-session-id header";
    case IdentitySource::kAgentSessionId:
      return "the agent-session-id header";
    case IdentitySource::kPromptCacheKey:
      return "prompt_cache_key in the body";
    case IdentitySource::kMetadataUserId:
      return "metadata.user_id in the body";
    case IdentitySource::kContent:
      return "its content: system prompt and first messages";
  }
  BERTH_CHECK(false && "unknown identity source");
  return "";
}

}  // namespace berth::console
