// Certificates and keys as files: can they be used, before anything listens?
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace berth::config {

// The end of the validity of the first certificate in the file at `path`. The error's message says
// what is wrong with the file.
Result<WallTime> certificate_end(const std::string& path);

// Why the private key at `key_path` cannot be used with the first certificate at
// `certificate_path`, or nothing. The certificate file is known to be good.
std::optional<std::string> key_problem(const std::string& certificate_path,
                                       const std::string& key_path);

}  // namespace berth::config
