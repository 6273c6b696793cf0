// The addresses behind names, looked up on threads of their own and remembered.
//
// getaddrinfo blocks, cannot be interrupted and may hang for as long as a name server does. Here a
// name that hangs holds up nobody who asks for another, and no event loop waits for its thread, not
// even to end. A name service that fails for a while takes no server away: the last good addresses
// stay in use.
//
// Thread safe. Bounds: one thread a name being looked up, kMaxNames names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "net/types.h"

namespace berth::net {

struct Addresses {
  error_code error;
  std::vector<asio::ip::address> found;  // at most NameCache::kMaxAddresses
};

class NameCache {
 public:
  // Answers are used for so long without asking again: a service that moves is found within it, and
  // no request pays for a look-up of its own.
  static constexpr Duration kFresh = std::chrono::seconds(10);
  static constexpr std::size_t kMaxAddresses = 16;
  // Names come from the configuration only, so this many are never in use.
  static constexpr std::size_t kMaxNames = 4096;

  using LookUp = std::function<Addresses(const std::string& name)>;  // may block

  // Both are used on any thread, and until the last look-up has ended.
  NameCache(LookUp look_up, std::shared_ptr<const Clock> clock);
  ~NameCache();
  NameCache(const NameCache&) = delete;
  NameCache& operator=(const NameCache&) = delete;

  // That of the process, over getaddrinfo.
  static NameCache& process();

  // What is known of `name` now; `fresh` when there is no need to ask again. Empty: nothing.
  struct Known {
    std::vector<asio::ip::address> found;
    bool fresh = false;
  };
  Known known(const std::string& name) const;

  // Someone who waits for a look-up. Lives until cancelled or destroyed; then `done` is not called
  // any more.
  class Waiting {
   public:
    Waiting() = default;
    ~Waiting() { cancel(); }
    Waiting(Waiting&&) = default;
    Waiting& operator=(Waiting&&) = delete;
    void cancel();

   private:
    friend class NameCache;
    struct Entry;
    std::shared_ptr<Entry> entry_;
  };

  // Looks `name` up, or joins the look-up under way. `done` is called once with what it found, on
  // another thread, under a lock: it may post to an event loop, and nothing else.
  Waiting look_up(const std::string& name, std::function<void(const Addresses&)> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
