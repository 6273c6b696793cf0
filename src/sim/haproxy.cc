#include "sim/haproxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/policies.h"

namespace berth::sim {
namespace {

constexpr Duration kExpire = std::chrono::minutes(30);
constexpr Duration kSweepEvery = std::chrono::minutes(1);

}  // namespace

HaProxy::HaProxy(const PolicyContext& context) : maxconn_(context.max_num_seqs) {
  for (const routing::ReplicaSpec& spec : context.replicas) on_added(spec, Instant{});
}

Answer HaProxy::on_request(const PolicyRequest& request, Instant now) {
  Pending pending{request.id, {}, ++arrivals_};
  if (request.facts.conversation) pending.session = request.facts.conversation->session;
  return route(std::move(pending), now);
}

Answer HaProxy::route(Pending request, Instant now) {
  if (const auto home = stuck_to(request.session)) {
    Server& server = servers_[*home];
    if (has_room(server)) return send(std::move(request), *home, now);
    server.queue.push_back(std::move(request));
    ++queued_at_server_;
    return Hold{};
  }
  if (const auto to = least_connections()) return send(std::move(request), *to, now);
  if (!any_up()) return Refuse{};
  backend_queue_.push_back(std::move(request));
  ++queued_at_backend_;
  return Hold{};
}

std::optional<routing::ReplicaIndex> HaProxy::stuck_to(const std::string& session) const {
  const auto entry = table_.find(session);
  if (entry == table_.end()) return std::nullopt;
  if (!servers_[entry->second.server].up) return std::nullopt;
  return entry->second.server;
}

std::optional<routing::ReplicaIndex> HaProxy::least_connections() const {
  std::optional<routing::ReplicaIndex> best;
  const auto order = [&](routing::ReplicaIndex i) {
    return std::tuple(servers_[i].served + servers_[i].queue.size(), servers_[i].changed);
  };
  for (routing::ReplicaIndex i = 0; i < servers_.size(); ++i) {
    if (!servers_[i].up || !has_room(servers_[i])) continue;
    if (!best || order(i) < order(*best)) best = i;
  }
  return best;
}

// Then nobody waits in its queue: a place that gets free is given away at once.
bool HaProxy::has_room(const Server& server) const { return server.served < maxconn_; }

bool HaProxy::any_up() const {
  return std::any_of(servers_.begin(), servers_.end(), [](const Server& s) { return s.up; });
}

Send HaProxy::send(Pending request, routing::ReplicaIndex to, Instant now) {
  Server& server = servers_[to];
  ++server.served;
  server.changed = ++changes_;
  if (!request.session.empty()) table_[request.session] = {to, now};
  const RequestNumber id = request.id;
  open_[id] = {to, std::move(request)};
  return Send{server.spec.target};
}

std::optional<HaProxy::Open> HaProxy::close(RequestNumber id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return std::nullopt;
  Open open = std::move(found->second);
  open_.erase(found);
  --servers_[open.server].served;
  servers_[open.server].changed = ++changes_;
  return open;
}

void HaProxy::on_finished(RequestNumber id, const routing::Usage&, Instant now) {
  if (const auto open = close(id)) fill(open->server, now);
}

void HaProxy::on_gone(RequestNumber id, Instant now) {
  if (const auto open = close(id)) return fill(open->server, now);
  drop_waiting(id);
}

Answer HaProxy::on_not_started(RequestNumber id, Instant now) {
  std::optional<Open> open = close(id);
  if (!open) return Refuse{};
  on_replica(open->server, routing::ReplicaState::kDown, now);
  return route(std::move(open->request), now);
}

void HaProxy::drop_waiting(RequestNumber id) {
  const auto it_is = [&](const Pending& p) { return p.id == id; };
  std::erase_if(backend_queue_, it_is);
  for (Server& server : servers_) std::erase_if(server.queue, it_is);
}

void HaProxy::fill(routing::ReplicaIndex index, Instant now) {
  Server& server = servers_[index];
  while (server.up && server.served < maxconn_) {
    Queue* queue = &server.queue;
    if (queue->empty() ||
        (!backend_queue_.empty() && backend_queue_.front().arrived < queue->front().arrived)) {
      queue = &backend_queue_;
    }
    if (queue->empty()) return;
    Pending next = std::move(queue->front());
    queue->pop_front();
    const RequestNumber id = next.id;
    released_.push_back({id, send(std::move(next), index, now)});
  }
}

void HaProxy::on_replica(routing::ReplicaIndex replica, routing::ReplicaState state, Instant now) {
  Server& server = servers_[replica];
  server.up = state == routing::ReplicaState::kUp;
  if (server.up) return fill(replica, now);
  for (Pending& waiting : std::exchange(server.queue, {})) {
    const RequestNumber id = waiting.id;
    const Answer answer = route(waiting, now);
    if (const Send* to = std::get_if<Send>(&answer)) released_.push_back({id, *to});
    // Nobody is up: it goes on waiting, for whoever comes back first.
    if (std::holds_alternative<Refuse>(answer)) backend_queue_.push_back(std::move(waiting));
  }
}

void HaProxy::on_added(const routing::ReplicaSpec& spec, Instant now) {
  servers_.emplace_back();
  servers_.back().spec = spec;
  fill(static_cast<routing::ReplicaIndex>(servers_.size() - 1), now);
}

void HaProxy::on_tick(Instant now) {
  std::erase_if(table_, [&](const auto& entry) { return now - entry.second.used >= kExpire; });
  next_tick_ = now + kSweepEvery;
}

void HaProxy::take_released(std::vector<Release>& out) {
  out.insert(out.end(), released_.begin(), released_.end());
  released_.clear();
}

std::vector<std::string> HaProxy::notes(Instant) const {
  return {fmt::format("requests queued at their server {}, at the backend {}; sessions in table {}",
                      queued_at_server_, queued_at_backend_, table_.size())};
}

std::unique_ptr<Policy> make_haproxy(const PolicyContext& context) {
  return std::make_unique<HaProxy>(context);
}

}  // namespace berth::sim
