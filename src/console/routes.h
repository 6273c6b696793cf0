// The paths of the admin API.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::console {

enum class Endpoint : std::uint8_t {
  kMetrics,
  kHealthz,
  kReadyz,
  kSnapshot,
  kExplain,
  kRouting,  // of one model
  kDrain,    // of one replica of a model
};

struct Route {
  Endpoint endpoint = Endpoint::kHealthz;
  std::string model;    // decoded; kRouting, kDrain
  std::string replica;  // decoded; kDrain
};

// `path` is without the query. Model names may hold slashes, percent-encoded or plain: the fixed
// words at both ends of the path delimit them. kNotFound: no such path; kBadRequest: a broken
// percent-encoding.
Result<Route> find_route(std::string_view path);

// As the Allow header lists them.
std::string_view allowed_methods(Endpoint endpoint);
bool method_allowed(Endpoint endpoint, std::string_view method);

// One line an endpoint, for whoever asked for a path that does not exist.
std::string_view known_paths();

}  // namespace berth::console
