#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "config/address.h"
#include "config/units.h"
#include "config/value.h"

namespace berth::config {
namespace {

constexpr std::size_t kLongestShown = 60;

struct Shower {
  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const std::optional<bool>* v) const {
    return v->has_value() ? (**v ? "true" : "false") : "";
  }
  std::string operator()(const BodyEdits* v) const { return *v == BodyEdits::kOn ? "on" : "off"; }
  std::string operator()(const std::uint32_t* v) const { return fmt::format("{}", *v); }
  std::string operator()(const std::optional<std::uint32_t>* v) const {
    return v->has_value() ? fmt::format("{}", **v) : "";
  }
  std::string operator()(const SizeSlot& v) const { return format_size(*v.bytes); }
  std::string operator()(const Duration* v) const { return format_duration(*v); }
  std::string operator()(const ThresholdSlot& v) const {
    if (v.number->has_value()) return fmt::format("{}", **v.number);
    return *v.is_auto ? "auto" : "";
  }
  std::string operator()(const Address* v) const { return format_address(*v); }
  std::string operator()(const UrlSlot& v) const { return *v.url; }
  std::string operator()(const std::string* v) const { return *v; }
  std::string operator()(const std::optional<std::string>* v) const { return v->value_or(""); }
  std::string operator()(const std::vector<std::string>* v) const {
    return fmt::format("{}", fmt::join(*v, ", "));
  }
  std::string operator()(const std::optional<Secret>* v) const {
    return v->has_value() ? "(set)" : "";
  }
};

struct TypeNamer {
  std::string_view operator()(const bool*) const { return "true or false"; }
  std::string_view operator()(const std::optional<bool>*) const { return "true or false"; }
  std::string_view operator()(const BodyEdits*) const { return "on or off"; }
  std::string_view operator()(const std::uint32_t*) const { return "number"; }
  std::string_view operator()(const std::optional<std::uint32_t>*) const { return "number"; }
  std::string_view operator()(const SizeSlot&) const { return "size"; }
  std::string_view operator()(const Duration*) const { return "duration"; }
  std::string_view operator()(const ThresholdSlot&) const { return "number or \"auto\""; }
  std::string_view operator()(const Address*) const { return "address"; }
  std::string_view operator()(const UrlSlot&) const { return "URL"; }
  std::string_view operator()(const std::string*) const { return "text"; }
  std::string_view operator()(const std::optional<std::string>*) const { return "text"; }
  std::string_view operator()(const std::vector<std::string>*) const { return "list of texts"; }
  std::string_view operator()(const std::optional<Secret>*) const { return "secret"; }
};

struct Copier {
  const Slot& to;

  void operator()(const ThresholdSlot& from) const {
    const auto& target = std::get<ThresholdSlot>(to);
    *target.number = *from.number;
    *target.is_auto = *from.is_auto;
  }
  void operator()(const SizeSlot& from) const { *std::get<SizeSlot>(to).bytes = *from.bytes; }
  void operator()(const UrlSlot& from) const { *std::get<UrlSlot>(to).url = *from.url; }
  template <typename T>
  void operator()(T* from) const {
    *std::get<T*>(to) = *from;
  }
};

std::string shortened(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, kLongestShown))
    out += c >= 0 && (c < ' ' || c == 0x7f) ? '?' : c;
  return text.size() > kLongestShown ? out + "..." : out;
}

}  // namespace

std::string describe_node(const Node& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) {
    return fmt::format("the text \"{}\"", shortened(*text));
  }
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) {
    return fmt::format("the number {}", *number);
  }
  if (const auto* number = std::get_if<double>(&node.value)) {
    return fmt::format("the number {}", *number);
  }
  if (const auto* flag = std::get_if<bool>(&node.value)) return *flag ? "true" : "false";
  if (std::holds_alternative<List>(node.value)) return "a list";
  if (std::holds_alternative<Table>(node.value)) return "a table";
  return "a date";
}

void copy_value(const Slot& from, const Slot& to) {
  BERTH_CHECK(from.index() == to.index());
  std::visit(Copier{to}, from);
}

std::string show(const Slot& slot) { return std::visit(Shower{}, slot); }

std::string_view type_name(const Slot& slot) { return std::visit(TypeNamer{}, slot); }

bool same_value(const Slot& a, const Slot& b) {
  BERTH_CHECK(a.index() == b.index());
  if (const auto* secret = std::get_if<std::optional<Secret>*>(&a)) {
    return **secret == *std::get<std::optional<Secret>*>(b);
  }
  return show(a) == show(b);
}

}  // namespace berth::config
