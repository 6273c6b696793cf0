#include "gateway/live_config.h"

namespace berth::gateway {

namespace {

routing::IdentityRules rules_of(const config::Config& config) {
  routing::IdentityRules rules = routing::IdentityRules::defaults();
  if (!config.identity_order.empty()) {
    rules.order.clear();
    for (const std::string& name : config.identity_order) {
      if (const auto source = routing::identity_source_from_name(name))
        rules.order.push_back(*source);
    }
  }
  rules.operator_headers = config.identity_headers;
  return rules;
}

Result<std::shared_ptr<observe::AccessLog>> log_for(const config::Config& config,
                                                    const LiveConfig* previous,
                                                    observe::LogReaper& reaper) {
  if (previous != nullptr && previous->config.access_log == config.access_log) {
    if (Result<void> reopened = previous->log->reopen(); !reopened)
      return tl::unexpected(reopened.error());
    return previous->log;
  }
  Result<std::unique_ptr<observe::AccessLog>> opened = observe::AccessLog::open(config.access_log);
  if (!opened) return tl::unexpected(opened.error());
  return reaper.adopt(std::move(*opened));
}

}  // namespace

Result<std::shared_ptr<const LiveConfig>> make_live_config(const config::Config& config,
                                                           const KeyedHash& hash,
                                                           const LiveConfig* previous,
                                                           observe::LogReaper& reaper) {
  net::TlsContext tls;
  if (!config.tls_certificate_file.empty()) {
    Result<net::TlsContext> made =
        net::make_server_context(config.tls_certificate_file, config.tls_key_file);
    if (!made) return tl::unexpected(made.error());
    tls = std::move(*made);
  }
  Result<std::shared_ptr<observe::AccessLog>> log = log_for(config, previous, reaper);
  if (!log) return tl::unexpected(log.error());
  return std::make_shared<const LiveConfig>(LiveConfig{config, ClientAuth(config.client_keys, hash),
                                                       rules_of(config), std::move(*log),
                                                       std::move(tls)});
}

}  // namespace berth::gateway
