// Which entry of the configuration the models of a server belong to. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/schema.h"
#include "fleet/fleet.h"

namespace berth::gateway {

// The models of one server that clients reach under one entry, by its name. The first one's ranks
// and capacity are those of the replicas; the others are further names of the same replicas.
struct MatchedModel {
  std::string entry;
  std::vector<fleet::ServedModel> models;
};

struct ModelMatch {
  std::vector<MatchedModel> matched;
  std::vector<std::string> unnamed;  // models of the server that no entry names
};

// An entry with a name takes the model that lists that name, whichever of its names it is: of
// several entries the one that names the model as its metrics do, then one that names it in another
// way, then one that names an adapter of it; the first in the file among equals. An entry that may
// not use the server (`servers`) takes nothing there, and what only such entries name is not
// offered. The models no entry names go together to the nameless entry, or to the empty
// configuration, under the name of the first.
ModelMatch match_models(const config::Config& config, const std::string& server_url,
                        const std::vector<fleet::ServedModel>& models);

// Every name an engine answers to for the model: its own, its aliases, its adapters.
std::vector<std::string> names_of(const fleet::ServedModel& model);

}  // namespace berth::gateway
