#include "console/snapshot_json.h"

#include <fmt/chrono.h>

#include "console/model_json.h"

namespace berth::console {
namespace {

Json server_json(const observe::ServerStatus& server) {
  Json json;
  json["index"] = server.index;
  json["url"] = server.url;
  json["label"] = server.label;
  json["health"] = server.health;
  json["why"] = server.why;
  json["health_since_s"] = seconds_json(server.health_age);
  json["scrape_age_s"] = server.scrape_age ? seconds_json(*server.scrape_age) : Json(nullptr);
  json["stale"] = is_stale(server);
  return json;
}

}  // namespace

std::string iso_time(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

Json snapshot_json(const observe::FleetStatus& status, Instant now) {
  Json json;
  json["schema"] = kSnapshotSchema;
  json["started"] = iso_time(status.started);
  json["uptime_s"] = seconds_json(status.uptime);
  json["draining"] = status.draining;
  Totals totals;
  for (const observe::ModelStatus& model : status.models) totals += model_totals(model, status);
  json["totals"] = totals_json(totals);
  json["servers"] = Json::array();
  for (const observe::ServerStatus& server : status.servers) {
    json["servers"].push_back(server_json(server));
  }
  json["models"] = Json::array();
  for (const observe::ModelStatus& model : status.models) {
    json["models"].push_back(model_json(model, status, now));
  }
  return json;
}

}  // namespace berth::console
