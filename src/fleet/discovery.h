// Puts a server's model list and its metrics page together into the models it serves. Pure.
#pragma once

#include <optional>
#include <vector>

#include "fleet/fleet.h"
#include "fleet/models_list.h"
#include "fleet/vllm_metrics.h"

namespace berth::fleet {

// A model is a group of listed names with the same root; its name is the one its metrics are
// labelled with, else the first listed. Entries with a parent are adapters of the model that bears
// the parent's name (or of the only model). `page` is empty for a server without vLLM metrics: then
// ranks are what is configured, or 1.
// `before` is what was found on earlier pages: a rank that a page lacks does not renumber the
// others.
std::vector<ServedModel> served_models(const std::vector<ListedModel>& listed, const VllmPage& page,
                                       std::optional<std::uint32_t> configured_ranks,
                                       const std::vector<ServedModel>& before = {});

// A server in front of vLLM may rename the model in its list and not in the metrics: when the list
// has one model and the page one label that is not listed, the label is blanked, and the rows are
// the only model's.
void adopt_only_label(VllmPage& page, const std::vector<ListedModel>& listed);

}  // namespace berth::fleet
