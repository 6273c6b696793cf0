// The effective configuration of `berth serve`: what a file, the environment and the flags add up
// to. docs/config.md lists every key; `berth check-config` prints this with the source of each
// value.
//
// A Config is plain data, built by load() and then only read: share it as shared_ptr<const Config>.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace berth::config {

// A secret's value. Never printed: there is no formatter for it.
struct Secret {
  std::string value;
  friend bool operator==(const Secret&, const Secret&) = default;
};

struct Address {
  std::string host = "127.0.0.1";  // an IP address, IPv6 without brackets
  std::uint16_t port = 0;
  bool is_loopback() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// One vLLM HTTP server.
struct Server {
  std::string name;                                 // optional: how models may refer to it
  std::string url;                                  // normalised: see server_url.h
  std::optional<std::uint32_t> data_parallel_size;  // absent: discovered from /metrics
  std::optional<Secret> api_key;                    // sent upstream as Authorization: Bearer
  std::string api_key_file;  // where api_key was read from; empty: not a file
  bool tls_verify = true;
  std::string tls_ca_file;  // empty: the system's
};

// Absent optional = not set for this model: [defaults] or discovery decides.
struct Model {
  std::string name;  // empty: every model the servers serve that no other entry names
  std::vector<std::string> aliases;
  std::vector<std::string>
      servers;  // URLs, each defined in Config::servers; empty: all that serve it
  std::optional<bool> affinity;
  std::optional<std::string> policy;
  std::optional<std::uint32_t> overflow_threshold;  // absent: see overflow_auto
  bool overflow_auto = false;  // "auto" was asked for, so [defaults] does not count
  std::optional<std::uint32_t> max_num_seqs;
};

struct ClientKey {
  std::string name;        // the tenant
  std::string sha256_hex;  // digest of the key in lower case; the key itself is not kept
};

enum class BodyEdits : std::uint8_t { kOn, kOff };

struct Routing {
  // Idle bindings are forgotten after it. An hour: agents come back from a person's pause, and the
  // KV cache behind an older binding is long evicted.
  Duration binding_ttl{std::chrono::hours(1)};
};

struct Timeouts {
  Duration client_head{std::chrono::seconds(10)};
  Duration client_body{std::chrono::seconds(60)};       // without a byte of it
  Duration client_body_total{std::chrono::minutes(5)};  // from its first byte to its last
  Duration client_idle{std::chrono::seconds(75)};
  Duration client_write{std::chrono::seconds(60)};  // a client that stops reading
  Duration upstream_connect{std::chrono::seconds(5)};
  Duration upstream_first_byte{std::chrono::minutes(60)};  // long prefills and queues are normal
  Duration upstream_idle{std::chrono::minutes(10)};        // between bytes of a stream
  Duration upstream_pool_idle{std::chrono::seconds(4)};    // uvicorn closes at 5 s
  Duration keep_alive_after{
      std::chrono::seconds(60)};             // silent seconds before a keep-alive event; 0 = off
  Duration drain{std::chrono::seconds(60)};  // SIGTERM: how long open streams may go on
  Duration scrape_every{std::chrono::seconds(1)};
  Duration health_every{std::chrono::seconds(2)};
  Duration health_timeout{std::chrono::seconds(5)};
};

struct Limits {
  std::uint64_t head_bytes = 64ull * 1024;
  std::uint64_t body_bytes = 64ull * 1024 * 1024;
  std::uint64_t body_bytes_in_memory = 2ull * 1024 * 1024 * 1024;  // all request bodies together
  std::uint32_t connections = 10'000;
  std::uint32_t upstream_idle_connections = 64;  // kept for reuse, of one server, in each worker
  std::uint32_t bindings_per_model = 200'000;
};

struct Config {
  Address listen{"127.0.0.1", 8080};
  Address admin{"127.0.0.1", 9090};
  bool allow_open_listener = false;  // a listener that is not loopback without client keys
  std::string tls_certificate_file;  // of the listener; both or none
  std::string tls_key_file;
  std::optional<std::string> admin_token_file;
  std::optional<Secret> admin_token;     // what admin_token_file holds
  std::vector<std::string> admin_hosts;  // further names of the admin address, without port
  std::string state_dir;                 // empty: nothing is kept
  std::string access_log = "-";          // "-": standard output; empty: off
  std::string log_level = "info";        // one of kLogLevelNames
  std::uint32_t threads = 0;             // 0: one a core, at most 4
  BodyEdits body_edits = BodyEdits::kOn;
  bool cache_salt_per_tenant = false;
  std::optional<Secret>
      upstream_api_key;  // already copied to every server without a key of its own
  std::string upstream_api_key_file;
  std::string client_keys_file;               // lines of NAME:KEY, already part of client_keys
  std::vector<std::string> identity_order;    // names of routing::IdentitySource, empty: defaults
  std::vector<std::string> identity_headers;  // operator's own, first; lower case
  std::vector<ClientKey> client_keys;
  std::vector<Server> servers;
  std::vector<Model> models;  // empty: every model the servers serve
  Model model_defaults;       // [defaults] and the flags --affinity, --policy, ...
  Routing routing;
  Timeouts timeouts;
  Limits limits;

  // Where each value that is not a default came from: "listen" -> "berth.toml:3", "--listen",
  // "BERTH_LISTEN". Values of list entries are named by the entry:
  // "server[http://gpu0:8000].api_key", "model[qwen3-4b].affinity", "client_key[alice].sha256".
  std::map<std::string, std::string> sources;

  // What is allowed but probably not meant. One sentence each, beginning with the key or the place.
  std::vector<std::string> warnings;
};

}  // namespace berth::config
