// What survives a restart: the hash key and every model's bindings, in the state directory.
//
// `key` (32 bytes, mode 0600) is written once. `bindings.json` is written whole to a temporary file
// and renamed, so a crash leaves the old one. Session ids are in it as they are (a returning client
// must be recognised), so the file has mode 0600 too. A damaged file is a warning and an empty
// table, never a refusal to start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/keyed_hash.h"
#include "base/result.h"
#include "routing/router.h"

namespace berth::gateway {

using SavedModels = std::map<std::string, std::vector<routing::SavedBinding>>;

// Makes the directory (mode 0700) when it is missing. kIo names it.
Result<void> make_state_directory(const std::string& directory);

// Makes the key when it is missing. kIo names what failed.
Result<KeyedHash> open_state_key(const std::string& directory);

// `saved_at` is stored, so that bindings age while Berth is down.
Result<void> save_bindings(const std::string& directory, const SavedModels& models,
                           WallTime saved_at);

// Bindings with their idle time grown by the time since they were saved. kNotFound: no file yet.
// kIo: damaged or unreadable, with the reason.
Result<SavedModels> load_bindings(const std::string& directory, WallTime now);

}  // namespace berth::gateway
