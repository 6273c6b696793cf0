#include "cli/explain_text.h"

#include <fmt/format.h>

#include "cli/human.h"
#include "cli/json_field.h"

namespace berth::cli {
namespace {

using console::Json;

constexpr std::size_t kDecisionsShown = 8;

std::string text_or_dash(const Json& value) {
  std::string text = as_text(value);
  return text.empty() ? "-" : text;
}

std::string age(const Json& value) { return duration(as_number(value).value_or(0)); }

// "gpu0:8000#1: 3 in flight, 2 resident with 18.4k tokens, KV 41.0%"
std::string seen_text(const Json& view, bool chosen) {
  const auto count = [&view](const char* name) { return as_count(field(view, name)).value_or(0); };
  std::string line =
      fmt::format("{}: {} in flight, {} resident with {} tokens, KV {}",
                  text_or_dash(field(view, "label")), count("in_flight"), count("resident"),
                  compact(count("resident_tokens")), percent(as_number(field(view, "kv_usage"))));
  if (field(view, "eligible") == Json(false)) line += ", not available";
  if (chosen) line += "  <- chosen";
  return line;
}

std::string seen_lines(const Json& decision, std::string_view indent) {
  std::string out;
  const Json& replica = field(decision, "replica");
  for (const Json& view : field(decision, "seen")) {
    const bool chosen = !replica.is_null() && field(view, "index") == replica;
    out += fmt::format("{}{}\n", indent, seen_text(view, chosen));
  }
  return out;
}

std::string home_text(const Json& conversation, const Terminal& terminal) {
  const Json& home = field(conversation, "home");
  std::string out =
      fmt::format("  Home: {}, for {}; last used {} ago.\n",
                  terminal.styled(text_or_dash(field(home, "label")), Style::kBold),
                  age(field(home, "bound_since_s")), age(field(conversation, "idle_since_s")));
  const std::string stand_in = as_text(field(conversation, "stand_in"));
  if (!stand_in.empty()) out += fmt::format("  While the home is down: {}.\n", stand_in);
  const Json& choice = field(home, "chosen_by");
  if (choice.is_null()) {
    out += "  Why there: it was chosen earlier than the decisions that are kept.\n";
    return out;
  }
  out += fmt::format("  Why there: {} ({} {} ago). It saw:\n", as_text(field(choice, "because")),
                     text_or_dash(field(choice, "outcome")), age(field(choice, "age_s")));
  return out + seen_lines(choice, "    ");
}

std::string usage_text(const Json& conversation) {
  const auto turns = as_count(field(conversation, "turns")).value_or(0);
  const auto tokens = as_count(field(conversation, "tokens")).value_or(0);
  const bool exact = field(conversation, "tokens_exact") == Json(true);
  std::string out = fmt::format("  {}, a context of {} tokens ({}).", counted(turns, "turn"),
                                thousands(tokens), exact ? "as the engine counted" : "estimated");
  const Json& usage = field(conversation, "last_usage");
  const auto prompt = as_count(field(usage, "prompt_tokens"));
  const auto cached = as_count(field(usage, "cached_tokens"));
  if (prompt && cached && *prompt > 0) {
    const double share = static_cast<double>(*cached) / static_cast<double>(*prompt);
    out += fmt::format(" Last turn: {} of {} prompt tokens came from the cache ({}).",
                       thousands(*cached), thousands(*prompt), percent(share));
  } else if (prompt) {
    out += fmt::format(" Last turn: {} prompt tokens; the engine did not say how many were cached.",
                       thousands(*prompt));
  }
  return out + '\n';
}

std::string history_text(const Json& conversation, const Terminal& terminal) {
  const Json& history = field(conversation, "history");
  if (history.empty()) return "  No decision is kept of it.\n";
  std::string out = "  Last decisions, newest first:\n";
  std::size_t shown = 0;
  for (auto it = history.rbegin(); it != history.rend() && shown < kDecisionsShown; ++it, ++shown) {
    const std::string where = as_text(field(*it, "label"));
    out +=
        fmt::format("    {} ago  {} -> {}, because {}\n", age(field(*it, "age_s")),
                    terminal.styled(text_or_dash(field(*it, "outcome")), Style::kBold),
                    where.empty() ? "the engine's choice" : where, as_text(field(*it, "because")));
    out += seen_lines(*it, "      ");
  }
  if (history.size() > shown) {
    out += fmt::format("    and {} before; --json prints all that are kept.\n",
                       thousands(history.size() - shown));
  }
  return out;
}

std::string conversation_text(const Json& conversation, const Terminal& terminal) {
  const std::string agent = as_text(field(conversation, "agent"));
  const std::string model = as_text(field(conversation, "model"));
  const std::string served_as = as_text(field(conversation, "served_as"));
  std::string out =
      agent.empty() ? "Main conversation" : fmt::format("Conversation of subagent {}", agent);
  out += fmt::format(" on model {}", model);
  if (!served_as.empty() && served_as != model) out += fmt::format(" (as {})", served_as);
  out = terminal.styled(out, Style::kBold) + '\n';
  out += home_text(conversation, terminal);
  out += usage_text(conversation);
  out += fmt::format("  Recognised by {}; tenant {}; in the access log {}.\n",
                     text_or_dash(field(conversation, "identity_text")),
                     text_or_dash(field(conversation, "tenant")),
                     text_or_dash(field(conversation, "conversation")));
  return out + history_text(conversation, terminal);
}

}  // namespace

std::string explain_text(const Json& explanation, const Terminal& terminal) {
  const Json& conversations = field(explanation, "conversations");
  std::string out = fmt::format("Session {} has {}.\n", text_or_dash(field(explanation, "session")),
                                counted(conversations.size(), "conversation"));
  for (const Json& conversation : conversations) {
    out += '\n' + conversation_text(conversation, terminal);
  }
  return out;
}

}  // namespace berth::cli
