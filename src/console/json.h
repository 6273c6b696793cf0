// The JSON type of the admin API: keys stay in the order they were written, so that a document
// reads as docs/admin-api.md describes it.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace berth::console {

using Json = nlohmann::ordered_json;

// Seconds to the millisecond.
inline Json seconds_json(Duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) /
         1e3;
}

}  // namespace berth::console
