// Reads the state file on a thread of its own: a full table takes seconds to read, and the admin
// address must answer meanwhile.
//
// Owned by the Gateway, used from the control thread.
#pragma once

#include <cstddef>
#include <future>
#include <string>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "base/result.h"
#include "gateway/state_file.h"

namespace berth::gateway {

class StateLoader {
 public:
  // Starts at once. `hash` makes the hashes that conversations are shown under; `now` is what the
  // age of the file counts to. Its end waits for the thread's.
  StateLoader(const std::string& directory, const KeyedHash& hash, WallTime now);

  bool done() const;
  // Once, after done(). Each model's bindings, the least recently used first. Errors are those of
  // load_bindings().
  Result<SavedModels> take() { return loaded_.get(); }

 private:
  std::future<Result<SavedModels>> loaded_;
};

// Takes at most `at_most` bindings of one model, the most recently used of what
// is left, out of `from`. Empty when `from` has none left.
SavedModels take_part(SavedModels& from, std::size_t at_most);

}  // namespace berth::gateway
