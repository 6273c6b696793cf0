// Writing one value into its place in the configuration, whatever it came from, and showing it
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/node.h"
#include "config/schema.h"

namespace berth::config {

// An overflow threshold: a number, or "auto".
struct ThresholdSlot {
  std::optional<std::uint32_t>* number;
  bool* is_auto;
};

// A size in bytes; a struct so that it is not taken for a count.
struct SizeSlot {
  std::uint64_t* bytes;
};

// Text that becomes a server's URL.
struct UrlSlot {
  std::string* url;
};

// A value's place. It decides which types a file may give; the pointers are owned by the object the
// slot was taken from.
using Slot = std::variant<bool*, std::optional<bool>*, BodyEdits*, std::uint32_t*,
                          std::optional<std::uint32_t>*, SizeSlot, Duration*, ThresholdSlot,
                          Address*, UrlSlot, std::string*, std::optional<std::string>*,
                          std::vector<std::string>*, std::optional<Secret>*>;

// What a text may be.
enum class Text : std::uint8_t {
  kAny,
  kName,    // shown in metrics and logs: 1 to 200 visible ASCII characters
  kPath,    // of a file or folder; relative ones belong to the folder of the configuration file
  kChoice,  // one of Rule::choices
  kHeader,  // an HTTP header's name but none that carries credentials, kept in lower case
  kHost,    // a host's name or IP address without port, kept in lower case
  kDigest,  // 64 hex digits, kept in lower case
  kOutput,  // a path, "-" for standard output, "off"
};

// The limits of a value. For a Duration `min` and `max` are milliseconds and zero, if
// `zero_is_off`, is always allowed.
struct Rule {
  std::uint64_t min = 0;
  std::uint64_t max = UINT32_MAX;
  bool zero_is_off = false;
  Text text = Text::kAny;
  std::span<const std::string_view> choices = {};
  // Names that are right elsewhere, and what they are here.
  std::span<const std::pair<std::string_view, std::string_view>> elsewhere = {};
};

// Writes `node` into `slot`. The answer is empty, or what is wrong as a phrase that follows the
// key's name; the slot is unchanged then. A secret's value never appears in it.
std::optional<std::string> write(const Slot& slot, const Rule& rule, const Node& node);

// The same for text of a variable or a flag: "on", "8", "a,b" are what the slot takes them for.
std::optional<std::string> write_text(const Slot& slot, const Rule& rule, std::string_view text);

// The value as a file would hold it, without quotes; a secret as "(set)"; absent and empty ones as
// "".
std::string show(const Slot& slot);

// The word docs/config.md uses for what the slot takes: "true or false", "number", "duration", ...
std::string_view type_name(const Slot& slot);

// True if the two slots, which are of the same kind, hold the same value.
bool same_value(const Slot& a, const Slot& b);

// Copies the value of `from` into `to`, which is of the same kind.
void copy_value(const Slot& from, const Slot& to);

}  // namespace berth::config
