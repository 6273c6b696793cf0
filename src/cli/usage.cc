#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/suggest.h"

namespace berth::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return did_you_mean(word, candidates);
}

// The innermost command that was being parsed, or `app` itself.
const CLI::App& chosen(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above == nullptr ? command.get_name() : full_name(*above) + " " + command.get_name();
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// What was not understood, with a suggestion when it looks like a flag.
std::string unexpected(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining(true);
  if (extras.empty()) return "too many arguments";
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const std::vector<std::string> below = command_names(command);
  if (!word.starts_with('-') && !below.empty()) {
    return fmt::format("unknown command \"{}\"{}", word, suggestion(word, below));
  }
  if (!word.starts_with('-')) return fmt::format("unexpected argument \"{}\"", word);
  return fmt::format("unknown flag \"{}\"{}", word, suggestion(word, flags_of(command)));
}

}  // namespace

std::string short_help(const CLI::App& app) {
  std::string out = fmt::format("{}\n\nUsage: {} COMMAND [ARGUMENTS]\n\nCommands:\n",
                                app.get_description(), app.get_name());
  std::size_t width = 0;
  for (const std::string& name : command_names(app)) width = std::max(width, name.size());
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    out += fmt::format("  {:<{}}  {}\n", command->get_name(), width, command->get_description());
  }
  out += "\n" + app.get_footer() + "\n";
  return out;
}

std::optional<std::string> unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) return std::nullopt;
  const std::string_view word = argv[1];
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::nullopt;
  if (word.starts_with('-')) {
    const std::vector<std::string> flags = flags_of(app);
    if (word == "-h" || std::find(flags.begin(), flags.end(), word) != flags.end())
      return std::nullopt;
    return fmt::format(
        "{0}: unknown flag \"{1}\"; flags come after a command\n{0} --help lists the commands\n",
        app.get_name(), word);
  }
  return fmt::format("{0}: unknown command \"{1}\"{2}\n{0} --help lists the commands\n",
                     app.get_name(), word, suggestion(word, names));
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen(app);
  const std::string name = full_name(command);
  const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::vector<std::string> below = command_names(command);
  std::string problem = extras ? unexpected(command) : error.what();
  if (!extras && !below.empty()) {
    // What fails in a command that has commands of its own is that none of them was named.
    problem = command.remaining(true).empty()
                  ? fmt::format("name one of {}", fmt::join(below, ", "))
                  : unexpected(command);
  }
  return fmt::format("{0}: {1}\n{0} --help shows how it is used\n", name, problem);
}

}  // namespace berth::cli
