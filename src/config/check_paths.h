// What `berth serve` would find in its way when it opens its files, told without opening one: for
// check-config. load() does not ask, since a configuration may be made on another machine than the
// one it is for.
#pragma once

#include <string>
#include <vector>

#include "config/schema.h"

namespace berth::config {

// One line a problem, "berth.toml:3: access_log: ...": a place for the access log or the state
// directory that this process could not use. Makes nothing. As of now, for the user who asks: serve
// may run as another one.
std::vector<std::string> check_paths(const Config& config);

}  // namespace berth::config
