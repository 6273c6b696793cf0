#include "routing/identity.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace berth::routing {
namespace {

// Spellings clients and gateways send when they have no id; as ids they would join strangers.
constexpr std::array<std::string_view, 8> kPlaceholders{"n/a",       "na",  "none", "null",
                                                        "undefined", "nil", "-",    "unknown"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The id if it can be believed, else empty.
std::string_view usable(std::string_view value) {
  value = trim(value);
  if (value.empty() || value.size() > kMaxIdBytes) return {};
  if (value.size() <= 9) {
    const std::string small = lower(value);
    if (std::find(kPlaceholders.begin(), kPlaceholders.end(), small) != kPlaceholders.end())
      return {};
  }
  return value;
}

class Finder {
 public:
  Finder(const IdentityInputs& inputs, const IdentityRules& rules)
      : inputs_(inputs), rules_(rules) {}

  // Fills `out` and answers true if this source names a conversation.
  bool try_source(IdentitySource source, Identity& out) const {
    switch (source) {
      case IdentitySource::kOperatorHeader:
        return operator_header(out);
      case IdentitySource::kClaudeCode:
        return claude_code(out);
      case IdentitySource::kCodexThread:
        return codex_thread(out);
      case IdentitySource::kCodexSession:
        return session_is(header("session-id"), out) || session_is(header("session_id"), out);
      case IdentitySource::kSessionAffinity:
        return with_parent_session("x-session-affinity", out);
      case IdentitySource::kSessionId:
        return with_parent_session("x-session-id", out);
      case IdentitySource::kAgentSessionId:
        return session_is(header("agent-session-id"), out);
      case IdentitySource::kPromptCacheKey:
        return session_is(usable(inputs_.prompt_cache_key), out);
      case IdentitySource::kMetadataUserId:
        return session_is(usable(inputs_.metadata_session), out);
      case IdentitySource::kContent:
      case IdentitySource::kNone:
        return false;
    }
    return false;
  }

  std::string_view header(std::string_view name) const {
    return inputs_.header ? usable(inputs_.header(name)) : std::string_view{};
  }

 private:
  static bool session_is(std::string_view session, Identity& out) {
    if (session.empty()) return false;
    out.session = session;
    return true;
  }

  // Claude Code shares one session id between its main conversation and all subagents; the agent id
  // tells them apart. A subagent's parent is the agent that spawned it, or the main conversation.
  void claude_agent(Identity& out) const {
    const std::string_view agent = header("x-claude-code-agent-id");
    if (agent.empty()) return;
    out.agent = agent;
    out.parent_session = out.session;
    const std::string_view parent = header("x-claude-code-parent-agent-id");
    if (parent != agent) out.parent_agent = parent;
    out.fork = header("x-claude-code-agent-type") == "fork";
  }

  // The operator's header is often one static value a process, so agents are still told apart by
  // agent id.
  bool operator_header(Identity& out) const {
    for (const std::string& name : rules_.operator_headers) {
      if (session_is(header(name), out)) {
        claude_agent(out);
        return true;
      }
    }
    return false;
  }

  bool claude_code(Identity& out) const {
    if (!session_is(header("x-claude-code-session-id"), out)) return false;
    claude_agent(out);
    return true;
  }

  // Codex: a thread is one agent's conversation; `session-id` is the root thread's id on every
  // thread below it.
  bool codex_thread(Identity& out) const {
    std::string_view thread = header("thread-id");
    if (thread.empty()) thread = header("thread_id");
    if (thread.empty()) return false;
    std::string_view session = header("session-id");
    if (session.empty()) session = header("session_id");
    const std::string_view parent = header("x-codex-parent-thread-id");
    if (session.empty() || session == thread) {
      out.session = thread;
      if (parent != thread) out.parent_session = parent;
      return true;
    }
    out.session = session;
    out.agent = thread;
    out.parent_session = session;
    if (parent != session && parent != thread) out.parent_agent = parent;
    return true;
  }

  // OpenCode, Kilo Code, Crush: a child session has its own id and names its parent beside it.
  bool with_parent_session(std::string_view name, Identity& out) const {
    if (!session_is(header(name), out)) return false;
    const std::string_view parent = header("x-parent-session-id");
    if (parent != out.session) out.parent_session = parent;
    return true;
  }

  const IdentityInputs& inputs_;
  const IdentityRules& rules_;
};

// Claude Code names the class of each request, Codex the kind of a thread that is not the user's.
bool declares_a_turn(const Finder& finder) {
  constexpr std::array<std::string_view, 4> kClaudeCode = {"main", "subagent", "workflow",
                                                           "compaction"};
  constexpr std::array<std::string_view, 4> kCodex = {"review", "compact", "memory_consolidation",
                                                      "collab_spawn"};
  const auto claude_code = finder.header("x-claude-code-request-class");
  const auto codex = finder.header("x-openai-subagent");
  return std::find(kClaudeCode.begin(), kClaudeCode.end(), claude_code) != kClaudeCode.end() ||
         std::find(kCodex.begin(), kCodex.end(), codex) != kCodex.end();
}

// The client's own word on the kind of request, where it gives one, beats the guess by body.
void set_kind(const Finder& finder, const IdentityInputs& inputs, Identity& out) {
  const bool auxiliary = finder.header("x-claude-code-request-class") == "auxiliary";
  out.declared_turn = !auxiliary && declares_a_turn(finder);
  const bool side = auxiliary || (inputs.looks_like_side_request && !out.declared_turn);
  out.kind = side ? RequestKind::kSide : RequestKind::kTurn;
}

}  // namespace

IdentityRules IdentityRules::defaults() {
  return {
      {IdentitySource::kOperatorHeader, IdentitySource::kClaudeCode, IdentitySource::kCodexThread,
       IdentitySource::kCodexSession, IdentitySource::kSessionAffinity, IdentitySource::kSessionId,
       IdentitySource::kAgentSessionId, IdentitySource::kPromptCacheKey,
       IdentitySource::kMetadataUserId, IdentitySource::kContent},
      {}};
}

bool IdentityRules::by_content() const {
  return std::find(order.begin(), order.end(), IdentitySource::kContent) != order.end();
}

Identity identify(const IdentityInputs& inputs, const IdentityRules& rules) {
  const Finder finder(inputs, rules);
  Identity found;
  for (const IdentitySource source : rules.order) {
    // A readable history decides from here on: what the operator put after the content is not
    // asked.
    if (source == IdentitySource::kContent && !inputs.chain.empty()) break;
    if (finder.try_source(source, found)) {
      found.source = source;
      break;
    }
  }
  set_kind(finder, inputs, found);
  return found;
}

}  // namespace berth::routing
