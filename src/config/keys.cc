#include "config/keys.h"

#include <fmt/format.h>

#include <array>

#include "config/names.h"

namespace berth::config {
namespace {

constexpr std::uint64_t kSecond = 1'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr std::uint64_t kKiB = 1ull << 10;
constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kGiB = 1ull << 30;

constexpr OnChange kRestart = OnChange::kRestart;
constexpr OnChange kReload = OnChange::kReload;

constexpr Rule kPathRule{.text = Text::kPath};
constexpr Rule kPolicyRule{
    .text = Text::kChoice, .choices = kPolicyNames, .elsewhere = kSimPolicies};
constexpr Rule kSequencesRule{.min = 1, .max = 65'536};
constexpr Rule kThresholdRule{.min = 0, .max = 65'536};

constexpr Rule between(std::uint64_t min, std::uint64_t max) { return {.min = min, .max = max}; }
constexpr Rule off_or_between(std::uint64_t min, std::uint64_t max) {
  return {.min = min, .max = max, .zero_is_off = true};
}

Slot threshold_of(Model& m) { return ThresholdSlot{&m.overflow_threshold, &m.overflow_auto}; }

const std::array kConfigKeys = {
    Key<Config>{"listen", [](Config& c) -> Slot { return &c.listen; }, {}, kRestart},
    Key<Config>{"admin", [](Config& c) -> Slot { return &c.admin; }, {}, kRestart},
    Key<Config>{"admin_token_file", [](Config& c) -> Slot { return &c.admin_token_file; },
                kPathRule, kReload, "(none: writes are refused)"},
    Key<Config>{
        "admin_hosts", [](Config& c) -> Slot { return &c.admin_hosts; }, {.text = Text::kHost}},
    Key<Config>{"allow_open_listener", [](Config& c) -> Slot { return &c.allow_open_listener; }},
    Key<Config>{"tls_certificate_file", [](Config& c) -> Slot { return &c.tls_certificate_file; },
                kPathRule, kReload, "(none: plain HTTP)"},
    Key<Config>{"tls_key_file", [](Config& c) -> Slot { return &c.tls_key_file; }, kPathRule},
    Key<Config>{"client_keys_file", [](Config& c) -> Slot { return &c.client_keys_file; },
                kPathRule},
    Key<Config>{"upstream_api_key", [](Config& c) -> Slot { return &c.upstream_api_key; }},
    Key<Config>{"upstream_api_key_file", [](Config& c) -> Slot { return &c.upstream_api_key_file; },
                kPathRule},
    Key<Config>{"state_dir", [](Config& c) -> Slot { return &c.state_dir; }, kPathRule, kRestart,
                "(none: bindings are lost at a restart)"},
    Key<Config>{"access_log",
                [](Config& c) -> Slot { return &c.access_log; },
                {.text = Text::kOutput},
                kReload,
                "off"},
    Key<Config>{"log_level",
                [](Config& c) -> Slot { return &c.log_level; },
                {.text = Text::kChoice, .choices = kLogLevelNames}},
    Key<Config>{"threads", [](Config& c) -> Slot { return &c.threads; }, between(0, 256), kRestart,
                "", "(one a core, at most 4)"},
    Key<Config>{"body_edits", [](Config& c) -> Slot { return &c.body_edits; }},
    Key<Config>{"cache_salt_per_tenant",
                [](Config& c) -> Slot { return &c.cache_salt_per_tenant; }},
    Key<Config>{"identity.order",
                [](Config& c) -> Slot { return &c.identity_order; },
                {.text = Text::kChoice, .choices = kIdentityNames},
                kReload,
                "(the default order)"},
    Key<Config>{"identity.headers",
                [](Config& c) -> Slot { return &c.identity_headers; },
                {.text = Text::kHeader}},
    Key<Config>{"defaults.affinity",
                [](Config& c) -> Slot { return &c.model_defaults.affinity; },
                {},
                kReload,
                "true"},
    Key<Config>{"defaults.policy", [](Config& c) -> Slot { return &c.model_defaults.policy; },
                kPolicyRule, kReload, "sticky"},
    Key<Config>{"defaults.overflow_threshold",
                [](Config& c) -> Slot { return threshold_of(c.model_defaults); }, kThresholdRule,
                kReload, "auto"},
    Key<Config>{"defaults.max_num_seqs",
                [](Config& c) -> Slot { return &c.model_defaults.max_num_seqs; }, kSequencesRule,
                kReload, "(assumed 32)"},
    Key<Config>{"routing.binding_ttl", [](Config& c) -> Slot { return &c.routing.binding_ttl; },
                between(kMinute, 7 * 24 * kHour)},
    Key<Config>{"timeouts.client_head", [](Config& c) -> Slot { return &c.timeouts.client_head; },
                between(100, kHour)},
    Key<Config>{"timeouts.client_body", [](Config& c) -> Slot { return &c.timeouts.client_body; },
                between(100, kHour)},
    Key<Config>{"timeouts.client_body_total",
                [](Config& c) -> Slot { return &c.timeouts.client_body_total; },
                between(100, 24 * kHour)},
    Key<Config>{"timeouts.client_idle", [](Config& c) -> Slot { return &c.timeouts.client_idle; },
                between(100, 24 * kHour)},
    Key<Config>{"timeouts.client_write", [](Config& c) -> Slot { return &c.timeouts.client_write; },
                between(100, kHour)},
    Key<Config>{"timeouts.upstream_connect",
                [](Config& c) -> Slot { return &c.timeouts.upstream_connect; },
                between(10, 5 * kMinute)},
    Key<Config>{"timeouts.upstream_first_byte",
                [](Config& c) -> Slot { return &c.timeouts.upstream_first_byte; },
                between(kSecond, 24 * kHour)},
    Key<Config>{"timeouts.upstream_idle",
                [](Config& c) -> Slot { return &c.timeouts.upstream_idle; },
                between(kSecond, 24 * kHour)},
    Key<Config>{"timeouts.upstream_pool_idle",
                [](Config& c) -> Slot { return &c.timeouts.upstream_pool_idle; },
                off_or_between(10, kHour), kReload, "", "(off)"},
    Key<Config>{"timeouts.keep_alive_after",
                [](Config& c) -> Slot { return &c.timeouts.keep_alive_after; },
                off_or_between(kSecond, kHour), kReload, "", "(off)"},
    Key<Config>{"timeouts.drain", [](Config& c) -> Slot { return &c.timeouts.drain; },
                off_or_between(1, 24 * kHour), kReload, "", "(off)"},
    Key<Config>{"timeouts.scrape_every", [](Config& c) -> Slot { return &c.timeouts.scrape_every; },
                between(100, 5 * kMinute), kRestart},
    Key<Config>{"timeouts.health_every", [](Config& c) -> Slot { return &c.timeouts.health_every; },
                between(100, 5 * kMinute), kRestart},
    Key<Config>{"timeouts.health_timeout",
                [](Config& c) -> Slot { return &c.timeouts.health_timeout; },
                between(100, 5 * kMinute), kRestart},
    Key<Config>{"limits.head_bytes",
                [](Config& c) -> Slot { return SizeSlot{&c.limits.head_bytes}; },
                between(4 * kKiB, kMiB)},
    Key<Config>{"limits.body_bytes",
                [](Config& c) -> Slot { return SizeSlot{&c.limits.body_bytes}; },
                between(kKiB, 4 * kGiB)},
    Key<Config>{"limits.body_bytes_in_memory",
                [](Config& c) -> Slot { return SizeSlot{&c.limits.body_bytes_in_memory}; },
                between(kMiB, 1024 * kGiB)},
    Key<Config>{"limits.connections", [](Config& c) -> Slot { return &c.limits.connections; },
                between(1, 1'000'000)},
    Key<Config>{"limits.upstream_idle_connections",
                [](Config& c) -> Slot { return &c.limits.upstream_idle_connections; },
                between(1, 10'000)},
    Key<Config>{"limits.bindings_per_model",
                [](Config& c) -> Slot { return &c.limits.bindings_per_model; },
                between(1, 10'000'000)},
};

const std::array kServerKeys = {
    Key<Server>{"name", [](Server& s) -> Slot { return &s.name; }, {.text = Text::kName}},
    Key<Server>{"url", [](Server& s) -> Slot { return UrlSlot{&s.url}; }},
    Key<Server>{"data_parallel_size", [](Server& s) -> Slot { return &s.data_parallel_size; },
                kRanksRule, kReload, "(discovered)"},
    Key<Server>{"api_key", [](Server& s) -> Slot { return &s.api_key; }},
    Key<Server>{"api_key_file", [](Server& s) -> Slot { return &s.api_key_file; }, kPathRule},
    Key<Server>{"tls_verify", [](Server& s) -> Slot { return &s.tls_verify; }},
    Key<Server>{"tls_ca_file", [](Server& s) -> Slot { return &s.tls_ca_file; }, kPathRule, kReload,
                "(the system's)"},
};

const std::array kModelKeys = {
    Key<Model>{"name",
               [](Model& m) -> Slot { return &m.name; },
               {.text = Text::kName},
               kReload,
               "(every model the servers serve)"},
    Key<Model>{"aliases", [](Model& m) -> Slot { return &m.aliases; }, {.text = Text::kName}},
    Key<Model>{"replicas",
               [](Model& m) -> Slot { return &m.servers; },
               {},
               kReload,
               "(every server that serves it)"},
    Key<Model>{"affinity", [](Model& m) -> Slot { return &m.affinity; }},
    Key<Model>{"policy", [](Model& m) -> Slot { return &m.policy; }, kPolicyRule},
    Key<Model>{"overflow_threshold", threshold_of, kThresholdRule},
    Key<Model>{"max_num_seqs", [](Model& m) -> Slot { return &m.max_num_seqs; }, kSequencesRule},
};

const std::array kClientKeyKeys = {
    Key<ClientKeyEntry>{
        "name", [](ClientKeyEntry& k) -> Slot { return &k.name; }, {.text = Text::kName}},
    Key<ClientKeyEntry>{"key", [](ClientKeyEntry& k) -> Slot { return &k.key; }},
    Key<ClientKeyEntry>{"key_file", [](ClientKeyEntry& k) -> Slot { return &k.key_file; },
                        kPathRule},
    Key<ClientKeyEntry>{
        "sha256", [](ClientKeyEntry& k) -> Slot { return &k.sha256; }, {.text = Text::kDigest}},
};

constexpr std::string_view kDefaults = "defaults.";

}  // namespace

std::span<const Key<Config>> config_keys() { return kConfigKeys; }
std::span<const Key<Server>> server_keys() { return kServerKeys; }
std::span<const Key<Model>> model_keys() { return kModelKeys; }
std::span<const Key<ClientKeyEntry>> client_key_keys() { return kClientKeyKeys; }

std::string variable_name(std::string_view key) {
  if (key.starts_with(kDefaults)) key.remove_prefix(kDefaults.size());
  std::string name = "BERTH_";
  for (const char c : key) {
    name += c == '.' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

std::string flag_name(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  std::string name(dot == std::string_view::npos ? key : key.substr(dot + 1));
  for (char& c : name) {
    if (c == '_') c = '-';
  }
  return "--" + name;
}

std::string entry_key(std::string_view list, std::string_view entry, std::string_view key) {
  return fmt::format("{}[{}].{}", list, entry, key);
}

}  // namespace berth::config
