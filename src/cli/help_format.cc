#include "cli/help_format.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace berth::cli {
namespace {

// CLI11 joins the type and the names of its checks: "UINT:INT in [1 - 64]", "TEXT:{ranks,servers}".
std::string_view type_of(std::string_view joined) { return joined.substr(0, joined.find(':')); }
std::string_view check_of(std::string_view joined) {
  const std::size_t colon = joined.find(':');
  return colon == std::string_view::npos ? std::string_view() : joined.substr(colon + 1);
}

std::string plain_number(std::string_view text) {
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

// "1 to 64" of "INT in [1 - 64]"; empty for another check.
std::string range_of(std::string_view check) {
  constexpr std::string_view kIn = " in [";
  constexpr std::string_view kTo = " - ";
  const std::size_t begin = check.find(kIn);
  const std::size_t middle = check.find(kTo);
  if (begin == std::string_view::npos || middle == std::string_view::npos) return {};
  const std::size_t first = begin + kIn.size();
  const std::size_t second = middle + kTo.size();
  return fmt::format("{} to {}", plain_number(check.substr(first, middle - first)),
                     plain_number(check.substr(second, check.find(']') - second)));
}

std::string without_brackets(std::string text) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace

std::string HelpFormat::make_option_name(const CLI::Option* option, bool positional) const {
  std::string name = CLI::Formatter::make_option_name(option, positional);
  // What a negative flag sets: "--no-async-scheduling{false}".
  if (const std::size_t brace = name.find('{'); brace != std::string::npos) name.resize(brace);
  return name;
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};
  const std::string joined = option->get_type_name();
  const std::string_view type = type_of(joined);
  const std::string_view check = check_of(joined);
  std::string out = " " + std::string(type);
  if (type == "UINT" || type == "INT") out = " N";
  if (type == "FLOAT") out = " X";
  if (check.starts_with('{')) {
    out = " " + std::string(check.substr(1, check.size() - 2));
    for (char& c : out) c = c == ',' ? '|' : c;
  }
  if (option->get_positional()) out.clear();  // its name says it
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) out += " ...";
  return out;
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  std::string out = option->get_description();
  if (option->get_type_size() == 0) return out;
  const std::string joined = option->get_type_name();
  const std::string_view check = check_of(joined);
  if (const std::string range = range_of(check); !range.empty()) out += fmt::format(" ({})", range);
  if (check == "POSITIVE") out += " (above 0)";
  const std::string value = without_brackets(option->get_default_str());
  if (!value.empty()) out += fmt::format(" [{}]", value);
  if (!option->get_envname().empty()) {
    out += fmt::format(" (or the variable {})", option->get_envname());
  }
  if (option->get_required()) out += " (required)";
  return out;
}

}  // namespace berth::cli
