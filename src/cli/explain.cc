#include <fmt/format.h>

#include <cstdio>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/explain_text.h"
#include "cli/terminal.h"

namespace berth::cli {
namespace {

struct ExplainFlags {
  std::string admin = kDefaultAdminUrl;
  std::string session;
  bool json = false;
};

int print_error(std::string_view sentence) {
  fmt::print(stderr, "berth explain: {}\n", sentence);
  return 1;
}

int run(const ExplainFlags& flags) {
  console::Json body;
  body["session"] = flags.session;
  AdminCall call;
  call.url = flags.admin;
  call.method = "POST";
  call.path = "/api/explain";
  call.body = body.dump(-1, ' ', false, console::Json::error_handler_t::replace);
  const auto reply = call_admin(call);
  if (!reply) return print_error(reply.error().message);
  if (reply->status != 200) return print_error(error_sentence(*reply));
  if (flags.json) {
    fmt::print("{}", reply->body);
    return 0;
  }
  const auto explanation = console::Json::parse(reply->body, nullptr, false);
  if (explanation.is_discarded()) {
    return print_error(fmt::format("{} does not answer like Berth's admin API", flags.admin));
  }
  fmt::print("{}", explain_text(explanation, Terminal::of_stdout()));
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "explain", "Say where every conversation of a session is, and why it is there");
  const auto flags = std::make_shared<ExplainFlags>();
  command
      ->add_option("session", flags->session,
                   "Session id as the client sends it, or its hash from a log")
      ->required();
  command
      ->add_option("--admin", flags->admin,
                   "Admin address of the running gateway, HOST:PORT or a URL")
      ->envname("BERTH_ADMIN_URL")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print the explanation as JSON");
  command->footer("Example:\n  berth explain 0f4c1f9e-0d6b-4a2e-9a53-0a4f6f0f4a11");
  command->callback([flags, &status] { status = run(*flags); });
}

}  // namespace berth::cli
