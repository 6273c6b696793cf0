// The part of the configuration a request looks at. Immutable; a reload puts a new one in its
// place, and a request that began under the old one ends under it.
#pragma once

#include <memory>

#include "base/keyed_hash.h"
#include "config/schema.h"
#include "gateway/client_auth.h"
#include "net/tls.h"
#include "observe/access_log.h"
#include "observe/log_reaper.h"
#include "routing/identity.h"

namespace berth::gateway {

struct LiveConfig {
  config::Config config;
  ClientAuth auth;
  routing::IdentityRules rules;
  std::shared_ptr<observe::AccessLog> log;
  net::TlsContext listener_tls;  // null: the listener speaks plain HTTP
};

// Reads the listener's certificate and opens the access log. `previous` may be null; its log is
// kept, and reopened, where the path is the same. kConfig, kIo: what could not be read or opened;
// nothing has changed. A log that
// is no longer used ends with `reaper`, which must outlive what is made here.
Result<std::shared_ptr<const LiveConfig>> make_live_config(const config::Config& config,
                                                           const KeyedHash& hash,
                                                           const LiveConfig* previous,
                                                           observe::LogReaper& reaper);

}  // namespace berth::gateway
