#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "config/address.h"
#include "config/server_url.h"
#include "config/text_rules.h"
#include "config/units.h"
#include "config/value.h"

namespace berth::config {
namespace {

using Problem = std::optional<std::string>;

Problem expected(std::string_view what, const Node& found) {
  return fmt::format("expected {}, found {}", what, describe_node(found));
}

const std::string* text_of(const Node& node) { return std::get_if<std::string>(&node.value); }

std::optional<bool> flag_of(const Node& node) {
  if (const bool* flag = std::get_if<bool>(&node.value)) return *flag;
  const std::string* text = text_of(node);
  if (text != nullptr && *text == "on") return true;
  if (text != nullptr && *text == "off") return false;
  return std::nullopt;
}

// A whole number between the rule's bounds, or the problem.
tl::expected<std::uint32_t, std::string> count_of(const Rule& rule, const Node& node) {
  const std::int64_t* number = std::get_if<std::int64_t>(&node.value);
  if (number == nullptr) {
    return tl::unexpected(fmt::format("expected a whole number, found {}", describe_node(node)));
  }
  const std::uint64_t max = std::min<std::uint64_t>(rule.max, UINT32_MAX);
  if (*number < 0 || static_cast<std::uint64_t>(*number) < rule.min ||
      static_cast<std::uint64_t>(*number) > max) {
    return tl::unexpected(fmt::format("must be {} to {}, found {}", rule.min, max, *number));
  }
  return static_cast<std::uint32_t>(*number);
}

struct Writer {
  const Rule& rule;
  const Node& node;

  Problem operator()(bool* slot) const {
    const auto flag = flag_of(node);
    if (!flag) return expected("true or false", node);
    *slot = *flag;
    return std::nullopt;
  }

  Problem operator()(std::optional<bool>* slot) const {
    bool value = false;
    Problem problem = (*this)(&value);
    if (!problem) *slot = value;
    return problem;
  }

  Problem operator()(BodyEdits* slot) const {
    const auto flag = flag_of(node);
    if (!flag) return expected("\"on\" or \"off\"", node);
    *slot = *flag ? BodyEdits::kOn : BodyEdits::kOff;
    return std::nullopt;
  }

  Problem operator()(std::uint32_t* slot) const {
    const auto count = count_of(rule, node);
    if (!count) return count.error();
    *slot = *count;
    return std::nullopt;
  }

  Problem operator()(std::optional<std::uint32_t>* slot) const {
    std::uint32_t value = 0;
    Problem problem = (*this)(&value);
    if (!problem) *slot = value;
    return problem;
  }

  Problem operator()(const ThresholdSlot& slot) const {
    const std::string* text = text_of(node);
    if (text != nullptr && *text == "auto") {
      slot.number->reset();
      *slot.is_auto = true;
      return std::nullopt;
    }
    if (!std::holds_alternative<std::int64_t>(node.value)) {
      return expected("a whole number or \"auto\"", node);
    }
    const auto count = count_of(rule, node);
    if (!count) return count.error();
    *slot.number = *count;
    *slot.is_auto = false;
    return std::nullopt;
  }

  Problem operator()(const SizeSlot& slot) const {
    std::optional<std::uint64_t> bytes;
    const std::int64_t* number = std::get_if<std::int64_t>(&node.value);
    if (number != nullptr && *number >= 0) bytes = static_cast<std::uint64_t>(*number);
    if (const std::string* text = text_of(node)) bytes = parse_size(*text);
    if (!bytes) return expected("a size such as \"64MiB\"", node);
    if (*bytes < rule.min || *bytes > rule.max) {
      return fmt::format("must be {} to {}, found {}", format_size(rule.min), format_size(rule.max),
                         format_size(*bytes));
    }
    *slot.bytes = *bytes;
    return std::nullopt;
  }

  Problem operator()(Duration* slot) const {
    const std::string* text = text_of(node);
    const auto duration = text != nullptr ? parse_duration(*text) : std::nullopt;
    if (!duration) return expected("a duration such as \"500ms\", \"4s\" or \"10m\"", node);
    const Duration min = std::chrono::milliseconds(rule.min);
    const Duration max = std::chrono::milliseconds(rule.max);
    const bool off = rule.zero_is_off && *duration == Duration::zero();
    if (!off && (*duration < min || *duration > max)) {
      return fmt::format("must be {} to {}{}, found {}", format_duration(min), format_duration(max),
                         rule.zero_is_off ? ", or 0 for off" : "", *text);
    }
    *slot = *duration;
    return std::nullopt;
  }

  Problem operator()(Address* slot) const {
    const std::string* text = text_of(node);
    if (text == nullptr) return expected("an address such as \"127.0.0.1:8080\"", node);
    const auto address = parse_address(*text);
    if (!address) return address.error().message;
    *slot = *address;
    return std::nullopt;
  }

  Problem operator()(const UrlSlot& slot) const {
    const std::string* text = text_of(node);
    if (text == nullptr) return expected("a URL such as \"http://gpu0:8000\"", node);
    const auto url = normalize_server_url(*text);
    if (!url) return url.error().message;
    *slot.url = *url;
    return std::nullopt;
  }

  Problem operator()(std::string* slot) const {
    const std::string* text = text_of(node);
    if (text == nullptr) return expected(text_type_phrase(rule.text), node);
    std::string value = *text;
    Problem problem = apply_text_rule(rule, value);
    if (!problem) *slot = std::move(value);
    return problem;
  }

  Problem operator()(std::optional<std::string>* slot) const {
    std::string value;
    Problem problem = (*this)(&value);
    if (!problem) *slot = std::move(value);
    return problem;
  }

  Problem operator()(std::vector<std::string>* slot) const {
    const List* list = std::get_if<List>(&node.value);
    if (list == nullptr) return expected("a list such as [\"a\", \"b\"]", node);
    std::vector<std::string> values;
    for (const Node& item : *list) {
      std::string value;
      Problem problem = Writer{rule, item}(&value);
      if (problem) return problem;
      if (std::find(values.begin(), values.end(), value) != values.end()) {
        return fmt::format("\"{}\" is in the list twice", value);
      }
      values.push_back(std::move(value));
    }
    *slot = std::move(values);
    return std::nullopt;
  }

  Problem operator()(std::optional<Secret>* slot) const {
    const std::string* text = text_of(node);
    if (text == nullptr) return std::string("expected a text");
    Problem problem = check_secret(*text);
    if (!problem) *slot = Secret{*text};
    return problem;
  }
};

// Text is what a variable or a flag has; this makes of it the node a file would have held.
struct Reader {
  std::string_view text;

  Node flag() const {
    for (const std::string_view yes : {"true", "on", "yes", "1"}) {
      if (text == yes) return {true, {}};
    }
    for (const std::string_view no : {"false", "off", "no", "0"}) {
      if (text == no) return {false, {}};
    }
    return {std::string(text), {}};
  }
  Node count() const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return {value, {}};
    return {std::string(text), {}};
  }
  Node list() const {
    List items;
    for (const std::string_view word : split_words(text)) items.push_back({std::string(word), {}});
    return {std::move(items), {}};
  }

  Node operator()(bool*) const { return flag(); }
  Node operator()(std::optional<bool>*) const { return flag(); }
  Node operator()(BodyEdits*) const { return flag(); }
  Node operator()(std::uint32_t*) const { return count(); }
  Node operator()(std::optional<std::uint32_t>*) const { return count(); }
  Node operator()(const ThresholdSlot&) const { return count(); }
  Node operator()(std::vector<std::string>*) const { return list(); }
  template <typename Other>
  Node operator()(const Other&) const {
    return {std::string(text), {}};
  }
};

}  // namespace

std::optional<std::string> write(const Slot& slot, const Rule& rule, const Node& node) {
  return std::visit(Writer{rule, node}, slot);
}

std::optional<std::string> write_text(const Slot& slot, const Rule& rule, std::string_view text) {
  const Node node = std::visit(Reader{text}, slot);
  return write(slot, rule, node);
}

}  // namespace berth::config
