#include "gateway/gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <optional>
#include <thread>

#include "gateway/advice.h"
#include "gateway/fleet_metrics.h"
#include "gateway/identify_request.h"
#include "gateway/server_roster.h"
#include "gateway/shared_state.h"
#include "gateway/state_file.h"
#include "gateway/state_loader.h"
#include "gateway/state_lock.h"
#include "gateway/state_writer.h"
#include "gateway/worker.h"
#include "net/listener.h"
#include "net/spawn.h"
#include "observe/log.h"

namespace berth::gateway {

namespace {

constexpr std::uint32_t kMaxDefaultThreads = 4;
constexpr Duration kPoll = std::chrono::milliseconds(20);
constexpr Duration kFirstRound = std::chrono::seconds(3);
constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kSaveEvery = std::chrono::seconds(30);
// Bindings the control thread takes in between two looks at what else waits: about two
// milliseconds.
constexpr std::size_t kImportPart = 1000;

std::uint32_t thread_count(const config::Config& config) {
  if (config.threads > 0) return config.threads;
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxDefaultThreads);
}

}  // namespace

struct Gateway::Impl {
  Impl(net::asio::io_context& io_in, const config::Config& config, const Clock& clock_in,
       const KeyedHash& hash)
      : io(io_in),
        clock(clock_in),
        started(clock.now()),
        started_wall(clock.wall()),
        state_dir(config.state_dir),
        models(config, hash.value("routing seed"), clock.now()),
        shared(clock, hash, registry, models, config),
        roster(io, config, models, clock),
        tick_timer(io),
        open_timer(io) {}

  net::Task<void> tick();
  net::Task<void> load_and_accept();
  net::Task<bool> import_bindings(SavedModels saved);
  Result<void> save();
  net::Task<void> save_and_wait();

  net::asio::io_context& io;
  const Clock& clock;
  const Instant started;
  const WallTime started_wall;
  const std::string state_dir;          // empty: nothing is kept
  std::optional<StateLock> state_lock;  // outlives whoever writes there
  observe::Registry registry;
  ModelTable models;
  observe::LogReaper reaper;  // outlives the logs in `shared` and those workers still hold
  SharedState shared;
  ServerRoster roster;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<StateLoader> loader;       // until what it read is taken in
  std::atomic<std::int64_t> last_saved{-1};  // bindings; -1: the last save failed, or none was made
  std::unique_ptr<StateWriter> writer;       // null: nothing is kept, or it is not all loaded yet
  std::atomic<bool> accepting{false};        // clients are taken out of the backlog
  net::Timer tick_timer;
  net::Timer open_timer;
  // Set when the gateway goes: an expiry that was queued when its timer was cancelled comes without
  // an error.
  std::shared_ptr<bool> ended = std::make_shared<bool>(false);
  std::uint16_t port = 0;
};

// Ages bindings and forgets what is gone once a second; every kSaveEvery has the bindings written
// and drops the metrics of what was forgotten.
net::Task<void> Gateway::Impl::tick() {
  const std::shared_ptr<const bool> gone = ended;
  Instant saved_at = clock.now();
  for (;;) {
    tick_timer.expires_after(kTick);
    const auto [error] = co_await tick_timer.async_wait(net::use_tuple);
    if (error || *gone) co_return;  // nothing of the gateway may be touched any more
    const Instant now = clock.now();
    models.tick(now);
    if (roster.settled()) {
      for (const std::string& what : models.newly_unserved()) observe::log_warning("{}", what);
    }
    if (now - saved_at < kSaveEvery) continue;
    saved_at = now;
    shared.metrics.forget_others(models.status(now));
    if (writer) writer->request();
  }
}

// Clients wait in the listener's backlog until the bindings are here and every server has been
// asked once: a conversation whose home is merely not known yet must not be placed anew.
net::Task<void> Gateway::Impl::load_and_accept() {
  const std::shared_ptr<const bool> gone = ended;
  const Instant latest = clock.now() + kFirstRound;
  while ((loader && !loader->done()) || (!roster.settled() && clock.now() < latest)) {
    open_timer.expires_after(kPoll);
    const auto [error] = co_await open_timer.async_wait(net::use_tuple);
    if (error || *gone) co_return;  // nothing of the gateway may be touched any more
  }
  if (loader) {
    Result<SavedModels> saved = loader->take();
    if (saved) {
      const bool whole = co_await import_bindings(std::move(*saved));
      if (!whole) co_return;
    } else if (saved.error().code != ErrorCode::kNotFound) {
      observe::log_warning("{}; starting with no bindings", saved.error().message);
    }
    loader.reset();
    writer = std::make_unique<StateWriter>([this] { return save(); });
  }
  for (const std::unique_ptr<Worker>& worker : workers) worker->start();
  accepting = true;
}

// False when the gateway went meanwhile: nothing of it may be touched any more.
net::Task<bool> Gateway::Impl::import_bindings(SavedModels saved) {
  const std::shared_ptr<const bool> gone = ended;
  std::size_t count = 0;
  for (const auto& [model, bindings] : saved) count += bindings.size();
  observe::log_info("loading {} bindings of the last run", count);
  for (SavedModels part = take_part(saved, kImportPart); !part.empty();
       part = take_part(saved, kImportPart)) {
    models.import_bindings(std::move(part), clock.now());
    co_await net::asio::post(io, net::use_tuple);
    if (*gone) co_return false;
  }
  co_return true;
}

// Runs on the writer's thread.
Result<void> Gateway::Impl::save() {
  const SavedModels all = models.export_bindings(clock.now());
  std::int64_t count = 0;
  for (const auto& [model, bindings] : all) count += static_cast<std::int64_t>(bindings.size());
  Result<void> written = save_bindings(state_dir, all, clock.wall());
  last_saved = written ? count : -1;
  return written;
}

net::Task<void> Gateway::Impl::save_and_wait() {
  if (!writer) co_return;
  writer->request();
  net::Timer timer(io);
  while (!writer->idle()) {
    timer.expires_after(kPoll);
    co_await timer.async_wait(net::use_tuple);
  }
}

Gateway::Gateway(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Gateway::~Gateway() {
  *impl_->ended = true;
  impl_->shared.unreachable.disconnect();
  impl_->tick_timer.cancel();
  impl_->open_timer.cancel();
  impl_->roster.stop();
  impl_->workers.clear();
  impl_->writer.reset();
}

Result<std::unique_ptr<Gateway>> Gateway::open(net::asio::io_context& io,
                                               const config::Config& config, const Clock& clock,
                                               std::vector<std::string>& warnings) {
  KeyedHash hash = KeyedHash::random();
  std::optional<StateLock> lock;
  if (!config.state_dir.empty()) {
    Result<void> made = make_state_directory(config.state_dir);
    if (!made) return tl::unexpected(made.error());
    Result<StateLock> taken = StateLock::take(config.state_dir, warnings);
    if (!taken) return tl::unexpected(taken.error());
    lock.emplace(std::move(*taken));
    Result<KeyedHash> kept = open_state_key(config.state_dir);
    if (!kept) return tl::unexpected(kept.error());
    hash = *kept;
  }
  auto impl = std::make_unique<Impl>(io, config, clock, hash);
  Result<std::shared_ptr<const LiveConfig>> live =
      make_live_config(config, hash, nullptr, impl->reaper);
  if (!live) return tl::unexpected(live.error());
  impl->state_lock = std::move(lock);
  impl->shared.set_live(std::move(*live));
  register_fleet_metrics(impl->shared, impl->roster);
  return std::unique_ptr<Gateway>(new Gateway(std::move(impl)));
}

Result<void> Gateway::listen() {
  Impl& impl = *impl_;
  const std::shared_ptr<const LiveConfig> live = impl.shared.live();
  const config::Config& config = live->config;
  impl.port = config.listen.port;
  if (impl.port != 0) {
    const Result<void> free = net::Listener::check_free(impl.io, config.listen.host, impl.port);
    if (!free) return free;
  }
  for (std::uint32_t i = 0; i < thread_count(config); ++i) {
    auto worker = std::make_unique<Worker>(impl.shared);
    Result<std::uint16_t> port = worker->listen(config.listen.host, impl.port);
    if (!port) return tl::unexpected(port.error());
    impl.port = *port;
    impl.workers.push_back(std::move(worker));
  }
  if (Result<void> added = impl.roster.apply(config); !added) return added;
  if (!impl.state_dir.empty()) {
    impl.loader =
        std::make_unique<StateLoader>(impl.state_dir, impl.shared.hash, impl.clock.wall());
  }
  ServerRoster* const roster = &impl.roster;
  impl.shared.unreachable.connect(
      impl.io, [roster](std::uint32_t server) { roster->hint_unreachable(server); });
  net::spawn(impl.io.get_executor(), "load_and_accept", impl.load_and_accept());
  net::spawn(impl.io.get_executor(), "tick", impl.tick());
  return {};
}

Result<std::unique_ptr<Gateway>> Gateway::start(net::asio::io_context& io,
                                                const config::Config& config, const Clock& clock,
                                                std::vector<std::string>& warnings) {
  Result<std::unique_ptr<Gateway>> gateway = open(io, config, clock, warnings);
  if (!gateway) return gateway;
  if (Result<void> listening = (*gateway)->listen(); !listening) {
    return tl::unexpected(listening.error());
  }
  return gateway;
}

std::uint16_t Gateway::port() const { return impl_->port; }

Result<void> Gateway::reload(const config::Config& config) {
  const std::shared_ptr<const LiveConfig> old = impl_->shared.live();
  Result<std::shared_ptr<const LiveConfig>> live =
      make_live_config(config, impl_->shared.hash, old.get(), impl_->reaper);
  Result<void> applied = live ? impl_->roster.apply(config) : tl::unexpected(live.error());
  impl_->shared.metrics.reload(applied.has_value(), impl_->clock.wall());
  if (!applied) return applied;
  impl_->models.configure(config, impl_->clock.now());
  impl_->roster.tell_health();
  impl_->shared.bodies.set_limit(config.limits.body_bytes_in_memory);
  impl_->shared.set_live(std::move(*live));
  return {};
}

Result<void> Gateway::reopen_access_log() { return impl_->shared.live()->log->reopen(); }

void Gateway::count_failed_reload() { impl_->shared.metrics.reload(false, impl_->clock.wall()); }

net::Task<Gateway::Drained> Gateway::drain() {
  const std::uint32_t open = impl_->shared.requests.load();
  impl_->shared.draining.store(true);
  for (const std::unique_ptr<Worker>& worker : impl_->workers) worker->drain();
  const Instant end = impl_->clock.now() + impl_->shared.live()->config.timeouts.drain;
  net::Timer timer(impl_->io);
  const auto busy = [&] {
    const bool taken = std::all_of(impl_->workers.begin(), impl_->workers.end(),
                                   [](const auto& worker) { return worker->backlog_taken(); });
    return !taken || impl_->shared.requests.load() > 0;
  };
  while (busy() && impl_->clock.now() < end) {
    timer.expires_after(kPoll);
    co_await timer.async_wait(net::use_tuple);
  }
  Drained drained;
  drained.cut = impl_->shared.requests.load();
  drained.ended = open - std::min(open, drained.cut);
  for (const std::unique_ptr<Worker>& worker : impl_->workers) worker->stop();
  co_await impl_->save_and_wait();
  if (const std::int64_t saved = impl_->last_saved; impl_->writer && saved >= 0)
    drained.saved = static_cast<std::size_t>(saved);
  for (const std::unique_ptr<Worker>& worker : impl_->workers) worker->join();
  co_return drained;
}

observe::FleetStatus Gateway::status() const {
  const Instant now = impl_->clock.now();
  observe::FleetStatus status;
  status.started = impl_->started_wall;
  status.uptime = now - impl_->started;
  status.draining = impl_->shared.draining.load();
  status.loading = !impl_->state_dir.empty() && !impl_->accepting.load();
  status.servers = impl_->roster.status(now);
  status.models = impl_->models.status(now);
  for (observe::ModelStatus& model : status.models) model.advice = advice_for(model);
  return status;
}

std::vector<observe::ModelExplanation> Gateway::explain(const std::string& session) const {
  const Instant now = impl_->clock.now();
  const std::optional<std::uint64_t> shown = KeyedHash::from_hex(session);
  std::vector<observe::ModelExplanation> out;
  for (const std::shared_ptr<Model>& model : impl_->models.all()) {
    std::vector<routing::Explanation> found = model->explain(session, now);
    if (found.empty() && shown) {
      found = model->explain(model->session_of_hash(*shown).value_or(""), now);
    }
    for (routing::Explanation& explanation : found) {
      observe::ModelExplanation one;
      one.model = model->name();
      one.conversation =
          KeyedHash::hex(conversation_hashes(impl_->shared.hash, explanation.key).conversation);
      one.home_label = model->label_of(explanation.home);
      one.bound_age = now - explanation.bound_at;
      one.idle = now - explanation.last_used;
      one.explanation = std::move(explanation);
      out.push_back(std::move(one));
    }
  }
  return out;
}

Result<void> Gateway::change_routing(const std::string& model,
                                     const observe::RoutingChange& change) {
  const Result<void> changed = impl_->models.change_routing(model, change, impl_->clock.now());
  if (changed) observe::log_info("the routing of {} was changed on the admin address", model);
  return changed;
}

Result<void> Gateway::set_drain(const std::string& model, const std::string& replica_label,
                                bool drain) {
  const auto resolved = impl_->models.resolve(model);
  if (!resolved) return fail(ErrorCode::kNotFound, fmt::format("no model \"{}\" here", model));
  const Result<void> set = resolved->model->set_drain(replica_label, drain, impl_->clock.now());
  if (set) {
    observe::log_info("replica {} of {} was {} on the admin address", replica_label, model,
                      drain ? "drained" : "put back to use");
  }
  return set;
}

std::string Gateway::metrics_text() const { return impl_->registry.text(); }

bool Gateway::ready() const {
  if (impl_->shared.draining.load() || !impl_->accepting.load()) return false;
  for (const observe::ModelStatus& model : impl_->models.status(impl_->clock.now())) {
    for (const observe::ReplicaStatus& replica : model.replicas) {
      if (!replica.routing.removed && replica.routing.state == routing::ReplicaState::kUp)
        return true;
    }
  }
  return false;
}

std::string Gateway::hash_of(const std::string& id) const { return impl_->shared.hash.hex(id); }

}  // namespace berth::gateway
