#include "inspect/side_requests.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace berth::inspect {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

enum class Place : std::uint8_t { kSystem, kFirstUser, kLastUser };

// A text of that place begins with `start`, and the request is no longer and has no more tools than
// that. An agent's turn has a dozen tools; structured answers are sometimes asked for through one.
struct Mark {
  Place place;
  std::string_view start;
  std::size_t max_tools;
  std::size_t max_entries;
};

constexpr std::array kMarks{
    // OpenCode 1.18: packages/opencode/src/agent/prompt/title.txt and summary.txt
    // (anomalyco/opencode).
    Mark{Place::kSystem, "You are a title generator", 1, kAny},
    Mark{Place::kSystem, "Summarize what was done in this conversation. Write like a pull", 1,
         kAny},
    // Claude Code 2.1.328 (npm @anthropic-ai/claude-code): session title, auto mode's classifier,
    // tool
    // labels, hooks judged by a model, bug report title, WebFetch.
    Mark{Place::kSystem, "You are naming a coding session so the user can pick it out", 1, kAny},
    Mark{Place::kSystem, "You are a security monitor for autonomous AI coding agents", 1, kAny},
    Mark{Place::kSystem, "Write a short summary label describing what these tool calls", 1, kAny},
    Mark{Place::kSystem, "You are evaluating a hook in Claude Code", 1, kAny},
    Mark{Place::kSystem, "You are evaluating a stop-condition hook in Claude Code", 1, kAny},
    Mark{Place::kSystem, "Generate a concise, technical issue title", 1, kAny},
    Mark{Place::kFirstUser, "Web page content:", 0, 1},
    // Claude Code before 2.1: topic detection, command prefixes, file paths, resume titles,
    // warm-ups.
    Mark{Place::kSystem, "Analyze if this message indicates a new conversation topic", 1, kAny},
    Mark{Place::kSystem, "Your task is to process Bash commands that an AI coding agent", 1, kAny},
    Mark{Place::kSystem, "Extract any file paths that this command reads or modifies", 1, kAny},
    Mark{Place::kSystem, "Summarize this coding conversation in under 50 characters", 1, kAny},
    Mark{Place::kFirstUser, "Please write a 5-10 word title for the following conversation", 1, 1},
    // Codex 0.169: the title of a thread, asked for in a thread of its own (codex-rs/tui
    // thread_title.rs).
    Mark{Place::kLastUser, "Generate a concise, single-line task title of at most ", kAny, kAny},
    // Qwen Code 0.24 (QwenLM/qwen-code, packages/core/src): services/sessionTitle.ts,
    // sessionRecap.ts,
    // toolUseSummary.ts (the same words as Claude Code's, above), utils/nextSpeakerChecker.ts.
    Mark{Place::kSystem, "Generate a concise, sentence-case title (3-7 words)", 1, kAny},
    Mark{Place::kSystem, "You generate session recaps for a programming assistant", 1, kAny},
    Mark{Place::kLastUser, "Analyze *only* the content and structure of your immediately preceding",
         1, kAny},
};

// One-token requests of one message and no tools, by which Claude Code asks for the quota, tries a
// credential and checks a model. The last comes with a system prompt, the others without.
struct Probe {
  std::string_view text;
  bool may_have_system;
};
constexpr std::array kProbes{Probe{"quota", false}, Probe{"test", false}, Probe{"Hi", false},
                             Probe{".", true}};

// Prompts written with a line break before their first word are common, with a page of blanks not.
bool begins_with(std::string_view text, std::string_view start) {
  constexpr std::size_t kMaxBlanks = 64;
  const auto first = text.substr(0, kMaxBlanks).find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text.substr(first).starts_with(start);
}

bool has_mark(const Opening& opening, const SideRequestHints& hints, const Mark& mark) {
  if (hints.tools > mark.max_tools || opening.entries > mark.max_entries) return false;
  switch (mark.place) {
    case Place::kSystem:
      return std::any_of(opening.system.begin(), opening.system.end(),
                         [&](std::string_view text) { return begins_with(text, mark.start); });
    case Place::kFirstUser:
      return begins_with(opening.first_user, mark.start);
    case Place::kLastUser:
      return begins_with(opening.last_user, mark.start);
  }
  return false;
}

bool is_probe(const Opening& opening, const SideRequestHints& hints) {
  if (hints.max_tokens != 1 || hints.tools != 0 || opening.entries != 1) return false;
  return std::any_of(kProbes.begin(), kProbes.end(), [&](const Probe& probe) {
    return opening.last_user == probe.text && (probe.may_have_system || !opening.has_system);
  });
}

}  // namespace

bool looks_like_side_request(const Opening& opening, const SideRequestHints& hints) {
  return is_probe(opening, hints) ||
         std::any_of(kMarks.begin(), kMarks.end(),
                     [&](const Mark& mark) { return has_mark(opening, hints, mark); });
}

}  // namespace berth::inspect
