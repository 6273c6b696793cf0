// berth sim: policies compared in virtual time.
#include "cli/commands.h"
#include "cli/sim_commands.h"

namespace berth::cli {

void add_sim(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("sim", "Compare routing policies on a simulated fleet, in virtual time");
  command->require_subcommand(1);
  add_sim_reference(*command, status);
  add_sim_trace(*command, status);
  add_sim_seven_cards(*command, status);
  add_sim_why(*command, status);
  add_sim_list(*command, status);
  command->footer(
      "Nothing is sent anywhere and no GPU is needed: an hour of a fleet takes a second or so.\n"
      "docs/simulator.md says what is modelled, and what each figure means.\n\n"
      "Examples:\n"
      "  berth sim reference --policies off,on\n"
      "  berth sim reference --help");
}

}  // namespace berth::cli
