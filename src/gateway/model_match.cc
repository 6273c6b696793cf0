#include "gateway/model_match.h"

#include <algorithm>

namespace berth::gateway {

namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool may_use(const config::Model& entry, const std::string& url) {
  return entry.servers.empty() || holds(entry.servers, url);
}

// How near an entry's name is to the model: 0 its own name, 1 another served name, 2 an adapter, 3
// none of its names.
constexpr int kNotNamed = 3;
int distance(const config::Model& entry, const fleet::ServedModel& model) {
  if (entry.name.empty()) return kNotNamed;
  if (entry.name == model.name) return 0;
  if (holds(model.aliases, entry.name)) return 1;
  return holds(model.adapters, entry.name) ? 2 : kNotNamed;
}

const config::Model* nearest(const config::Config& config, const std::string& url,
                             const fleet::ServedModel& model, bool& named) {
  const config::Model* best = nullptr;
  for (const config::Model& entry : config.models) {
    const int far = distance(entry, model);
    if (far == kNotNamed) continue;
    named = true;
    if (may_use(entry, url) && (best == nullptr || far < distance(*best, model))) best = &entry;
  }
  return best;
}

bool takes_the_rest(const config::Config& config, const std::string& url) {
  return config.models.empty() ||
         std::any_of(config.models.begin(), config.models.end(), [&](const config::Model& entry) {
           return entry.name.empty() && may_use(entry, url);
         });
}

}  // namespace

std::vector<std::string> names_of(const fleet::ServedModel& model) {
  std::vector<std::string> names{model.name};
  names.insert(names.end(), model.aliases.begin(), model.aliases.end());
  names.insert(names.end(), model.adapters.begin(), model.adapters.end());
  return names;
}

ModelMatch match_models(const config::Config& config, const std::string& server_url,
                        const std::vector<fleet::ServedModel>& models) {
  ModelMatch out;
  MatchedModel rest;
  for (const fleet::ServedModel& model : models) {
    bool named = false;
    const config::Model* entry = nearest(config, server_url, model, named);
    if (entry != nullptr) {
      const auto same = std::find_if(out.matched.begin(), out.matched.end(),
                                     [&](const auto& one) { return one.entry == entry->name; });
      if (same == out.matched.end()) {
        out.matched.push_back({entry->name, {model}});
      } else {
        same->models.push_back(model);
      }
    } else if (!named && takes_the_rest(config, server_url)) {
      rest.models.push_back(model);
    } else if (!named) {
      out.unnamed.push_back(model.name);
    }
  }
  if (!rest.models.empty()) {
    rest.entry = rest.models.front().name;
    out.matched.push_back(std::move(rest));
  }
  return out;
}

}  // namespace berth::gateway
