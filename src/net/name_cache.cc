#include "net/name_cache.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace berth::net {

struct NameCache::Waiting::Entry {
  std::mutex mutex;
  std::function<void(const Addresses&)> done;  // empty once called or cancelled

  void call(const Addresses& answer) {
    const std::lock_guard lock(mutex);
    if (done) std::exchange(done, nullptr)(answer);
  }
};

void NameCache::Waiting::cancel() {
  if (!entry_) return;
  const std::lock_guard lock(entry_->mutex);
  entry_->done = nullptr;
}

struct NameCache::State {
  using Waiters = std::vector<std::shared_ptr<Waiting::Entry>>;

  struct Name {
    std::vector<asio::ip::address> found;  // the last good answer
    std::optional<Instant> asked;          // when the last answer came, good or not
    bool running = false;
    Waiters waiting;
  };

  State(LookUp l, std::shared_ptr<const Clock> c) : look_up(std::move(l)), clock(std::move(c)) {}

  void make_room() {
    for (auto it = names.begin(); names.size() >= kMaxNames && it != names.end();) {
      it = it->second.running ? std::next(it) : names.erase(it);
    }
  }

  // A failure leaves the last good answer, which then counts as the answer for a while.
  void finished(const std::string& text, Addresses answer) {
    Waiters waiting;
    {
      const std::lock_guard lock(mutex);
      Name& name = names[text];
      name.running = false;
      name.asked = clock->now();
      waiting.swap(name.waiting);
      if (!answer.error) {
        name.found = answer.found;
      } else if (!name.found.empty()) {
        answer = {{}, name.found};
      }
    }
    for (const auto& one : waiting) one->call(answer);
  }

  const LookUp look_up;
  const std::shared_ptr<const Clock> clock;
  std::mutex mutex;
  std::map<std::string, Name> names;
};

namespace {

Addresses ask_system(const std::string& name) {
  asio::io_context io(1);
  tcp::resolver resolver(io);
  Addresses out;
  for (const auto& entry : resolver.resolve(name, "", out.error)) {
    if (out.found.size() == NameCache::kMaxAddresses) break;
    out.found.push_back(entry.endpoint().address());
  }
  return out;
}

}  // namespace

NameCache::NameCache(LookUp look_up, std::shared_ptr<const Clock> clock)
    : state_(std::make_shared<State>(std::move(look_up), std::move(clock))) {}

NameCache::~NameCache() = default;

NameCache& NameCache::process() {
  // Never destroyed: a look-up may still hang when the process ends.
  static auto* cache = new NameCache(ask_system, std::make_shared<SteadyClock>());
  return *cache;
}

NameCache::Known NameCache::known(const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  const auto at = state_->names.find(name);
  if (at == state_->names.end() || at->second.found.empty()) return {};
  const State::Name& known = at->second;
  return {known.found, known.asked && state_->clock->now() - *known.asked < kFresh};
}

NameCache::Waiting NameCache::look_up(const std::string& name,
                                      std::function<void(const Addresses&)> done) {
  Waiting waiting;
  waiting.entry_ = std::make_shared<Waiting::Entry>();
  waiting.entry_->done = std::move(done);
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->names.contains(name)) state_->make_room();
    State::Name& here = state_->names[name];
    // Whoever gave up while a look-up hangs.
    std::erase_if(here.waiting, [](const auto& one) { return one.use_count() == 1; });
    here.waiting.push_back(waiting.entry_);
    if (std::exchange(here.running, true)) return waiting;
  }
  try {
    std::thread([state = state_, name] { state->finished(name, state->look_up(name)); }).detach();
  } catch (const std::system_error& error) {
    state_->finished(name,
                     {error_code(error.code().value(), boost::system::system_category()), {}});
  }
  return waiting;
}

}  // namespace berth::net
