#include <fmt/format.h>

#include <cstdio>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/status_text.h"
#include "cli/terminal.h"

namespace berth::cli {
namespace {

struct StatusFlags {
  std::string admin = kDefaultAdminUrl;
  bool json = false;
};

int print_error(std::string_view sentence) {
  fmt::print(stderr, "berth status: {}\n", sentence);
  return 1;
}

int run(const StatusFlags& flags) {
  AdminCall call;
  call.url = flags.admin;
  call.path = "/api/snapshot";
  const auto reply = call_admin(call);
  if (!reply) return print_error(reply.error().message);
  if (reply->status != 200) return print_error(error_sentence(*reply));
  if (flags.json) {
    fmt::print("{}", reply->body);
    return 0;
  }
  const auto snapshot = console::Json::parse(reply->body, nullptr, false);
  if (snapshot.is_discarded()) {
    return print_error(fmt::format("{} does not answer like Berth's admin API", flags.admin));
  }
  fmt::print("{}", status_text(snapshot, Terminal::of_stdout()));
  return 0;
}

}  // namespace

void add_status(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("status", "Print each model's replicas: who serves what, and how sticky");
  const auto flags = std::make_shared<StatusFlags>();
  command
      ->add_option("--admin", flags->admin,
                   "Admin address of the running gateway, HOST:PORT or a URL")
      ->envname("BERTH_ADMIN_URL")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print the snapshot as JSON");
  command->footer("Example:\n  berth status --admin 127.0.0.1:9090");
  command->callback([flags, &status] { status = run(*flags); });
}

}  // namespace berth::cli
