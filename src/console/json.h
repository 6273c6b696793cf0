// The JSON type of the admin API: keys stay in the order they were written, so that a document
// reads as docs/admin-api.md describes it.
#pragma once

#include <nlohmann/json.hpp>

namespace berth::console {

using Json = nlohmann::ordered_json;

}  // namespace berth::console
