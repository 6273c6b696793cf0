// The demo's story: the same agents with affinity off, then on, what each of their turns met, and
// the difference. Afterwards the agents go on quietly, so that there is something to look at.
//
// Owner: the demo command. Thread: the executor given; everything referred to must outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/demo_agent.h"
#include "cli/demo_fleet.h"
#include "cli/demo_text.h"
#include "cli/task_group.h"
#include "http/client.h"
#include "net/types.h"
#include "observe/status.h"

namespace berth::cli {

struct DemoStoryOptions {
  http::Url gateway;
  DemoFleetOptions fleet;
  std::uint32_t sessions = 4;
  std::uint32_t turns = 4;  // of each session in each arm
};

class DemoStory {
 public:
  DemoStory(const net::Executor& executor, DemoStoryOptions options, const DemoFleet& fleet,
            observe::StatusSource& gateway, const Clock& clock);

  // Waits until the fleet is found, then both arms, the difference and the replica table, printed
  // as they happen. An error: the fleet was not found, or turns failed (each was printed).
  net::Task<Result<void>> tell();
  // Sessions of many turns with pauses, printing nothing, until stop().
  net::Task<void> go_on();
  // No agent begins another turn.
  void stop() { stopping_ = true; }

  // The plain id of a session of the last arm.
  std::string a_session() const;

 private:
  using Turns = std::vector<DemoTurn>;

  net::Task<void> pause(Duration time);
  net::Task<Result<void>> fleet_found();
  net::Task<void> scrapes_caught_up();
  net::Task<Turns> arm(bool affinity);
  net::Task<void> agent_turns(DemoAgent* agent, Turns* turns);
  net::Task<void> background_agent(std::uint32_t number);
  std::string why_of(const DemoTurn& turn) const;

  net::Executor executor_;
  DemoStoryOptions options_;
  const DemoFleet& fleet_;
  observe::StatusSource& gateway_;
  const Clock& clock_;
  std::vector<DemoAgent> agents_;  // of the arm under way, or the last
  std::uint32_t arms_ = 0;
  std::uint32_t failed_ = 0;  // turns
  bool stopping_ = false;
  TaskGroup background_;
};

}  // namespace berth::cli
