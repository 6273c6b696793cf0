// `berth status`: the snapshot of the admin API as text.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "console/json.h"

namespace berth::cli {

// One block a model: a heading with affinity, threshold and sticky share, one row a replica and a
// total, and advice. Servers that are not up come first. A field that is missing or of another type
// (an older or newer Berth) shows as "-".
std::string status_text(const console::Json& snapshot, const Terminal& terminal);

}  // namespace berth::cli
