#include "fleet/discovery.h"

#include <algorithm>

namespace berth::fleet {
namespace {

struct Group {
  std::string root;
  std::vector<std::string> names;
  ServedModel model;
};

bool has_metrics(const VllmPage& page, const std::string& name) {
  return std::any_of(page.engines.begin(), page.engines.end(),
                     [&name](const EngineReading& reading) { return reading.model == name; });
}

std::vector<Group> group_by_root(const std::vector<ListedModel>& listed) {
  std::vector<Group> groups;
  for (const auto& entry : listed) {
    if (!entry.parent.empty()) continue;
    auto found = std::find_if(groups.begin(), groups.end(), [&entry](const Group& group) {
      return !entry.root.empty() && group.root == entry.root;
    });
    if (found == groups.end()) {
      groups.push_back({entry.root, {}, {}});
      found = groups.end() - 1;
    }
    found->names.push_back(entry.id);
    found->model.max_model_len = std::max(found->model.max_model_len, entry.max_model_len);
  }
  return groups;
}

void name_model(Group& group, const VllmPage& page) {
  const auto labelled =
      std::find_if(group.names.begin(), group.names.end(),
                   [&page](const std::string& name) { return has_metrics(page, name); });
  group.model.name = labelled == group.names.end() ? group.names.front() : *labelled;
  for (const auto& name : group.names) {
    if (name != group.model.name) group.model.aliases.push_back(name);
  }
}

void add_adapters(std::vector<Group>& groups, const std::vector<ListedModel>& listed) {
  for (const auto& entry : listed) {
    if (entry.parent.empty()) continue;
    auto base = std::find_if(groups.begin(), groups.end(), [&entry](const Group& group) {
      return std::find(group.names.begin(), group.names.end(), entry.parent) != group.names.end();
    });
    if (base == groups.end() && groups.size() == 1) base = groups.begin();
    if (base != groups.end()) base->model.adapters.push_back(entry.id);
  }
}

RankLayout layout_of(const VllmPage& page, const std::string& name,
                     std::optional<std::uint32_t> configured,
                     const std::vector<ServedModel>& before) {
  const auto known = std::find_if(before.begin(), before.end(),
                                  [&name](const ServedModel& model) { return model.name == name; });
  if (known == before.end()) return rank_layout(page, name, configured);
  return rank_layout(page, name, configured, {known->first_engine, known->ranks});
}

bool is_listed(const std::vector<ListedModel>& listed, const std::string& name) {
  return std::any_of(listed.begin(), listed.end(),
                     [&name](const ListedModel& entry) { return entry.id == name; });
}

}  // namespace

void adopt_only_label(VllmPage& page, const std::vector<ListedModel>& listed) {
  if (page.engines.empty() || group_by_root(listed).size() != 1) return;
  const std::string label = page.engines.front().model;
  if (label.empty() || label != page.engines.back().model || is_listed(listed, label)) return;
  for (auto& reading : page.engines) reading.model.clear();
  for (auto& row : page.caches) {
    if (row.model == label) row.model.clear();
  }
}

std::vector<ServedModel> served_models(const std::vector<ListedModel>& listed, const VllmPage& page,
                                       std::optional<std::uint32_t> configured_ranks,
                                       const std::vector<ServedModel>& before) {
  std::vector<Group> groups = group_by_root(listed);
  add_adapters(groups, listed);
  std::vector<ServedModel> models;
  for (auto& group : groups) {
    name_model(group, page);
    const RankLayout layout = layout_of(page, group.model.name, configured_ranks, before);
    group.model.ranks = layout.ranks;
    group.model.first_engine = layout.first_engine;
    group.model.kv_tokens_per_rank = kv_tokens_per_rank(page, group.model.name, group.model.ranks);
    models.push_back(std::move(group.model));
  }
  return models;
}

}  // namespace berth::fleet
