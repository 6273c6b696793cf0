#include "sim/experiment.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace berth::sim {
namespace {

std::size_t stages_of(const std::vector<Run>& runs) {
  std::size_t count = 0;
  for (const Run& run : runs) count += run.stages.size();
  return count;
}

class Done {
 public:
  Done(std::size_t all, const Progress& progress) : all_(all), progress_(progress) {}
  void one_more() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) progress_(done_, all_);
  }

 private:
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t all_;
  const Progress& progress_;
};

std::vector<Cell> run_one(const Run& run, Done& done) {
  std::vector<Cell> cells;
  World world(run.world, *run.workload, *run.policy, run.seed);
  for (const Stage& stage : run.stages) {
    world.set_clients(stage.clients);
    world.run_for(run.warm_up);
    for (std::uint32_t window = 0; window < run.windows; ++window) {
      world.open_window();
      world.run_for(run.measured / run.windows);
      cells.push_back(
          {std::string(run.policy->name), stage, run.seed, window, world.close_window()});
    }
    done.one_more();
  }
  return cells;
}

}  // namespace

std::vector<Cell> run_all(const std::vector<Run>& runs, unsigned threads,
                          const Progress& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  Done done(stages_of(runs), progress);
  std::vector<std::vector<Cell>> results(runs.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) results[i] = run_one(runs[i], done);
  };
  {
    std::vector<std::jthread> others;
    const std::size_t more = std::min<std::size_t>(threads, runs.size());
    for (std::size_t i = 1; i < more; ++i) others.emplace_back(work);
    work();
  }
  std::vector<Cell> cells;
  for (std::vector<Cell>& part : results) {
    std::move(part.begin(), part.end(), std::back_inserter(cells));
  }
  return cells;
}

}  // namespace berth::sim
