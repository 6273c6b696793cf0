// What no single value shows.
#include <fmt/format.h>

#include <algorithm>

#include "config/address.h"
#include "config/draft.h"
#include "config/openness.h"
#include "config/read_secret.h"
#include "config/tls_files.h"
#include "config/units.h"

namespace berth::config {
namespace {

// uvicorn, vLLM's HTTP server, closes an idle connection after 5 s: VLLM_HTTP_TIMEOUT_KEEP_ALIVE.
constexpr Duration kUvicornKeepAlive = std::chrono::seconds(5);
// The agent that waits the longest in silence gives up at 360 s; Claude Code's own watchdog is at
// 300 s.
constexpr Duration kClientPatience = std::chrono::seconds(300);
// Renewal tools renew a month before the end; half of that says they have failed.
constexpr Duration kRenewalTime = std::chrono::hours(24 * 14);

class Checker {
 public:
  explicit Checker(Draft& draft) : draft_(draft), config_(draft.config) {}

  void run() {
    servers();
    listeners();
    tls();
    open_listener();
    upstream_key();
    limits();
    timeouts();
    edits();
  }

 private:
  void problem(const std::string& key, const std::string& what) {
    draft_.problems.add(draft_.origin(key), fmt::format("{}: {}", key, what));
  }

  // Warnings name the place when there is one.
  void warning(const std::string& key, const std::string& what) {
    const Origin origin = draft_.origin(key);
    const bool placed = !origin.text.empty();
    config_.warnings.push_back(placed ? fmt::format("{}: {}: {}", origin.text, key, what)
                                      : fmt::format("{}: {}", key, what));
  }

  void servers() {
    if (config_.servers.empty() && draft_.problems.empty()) {
      draft_.problems.add(
          named_origin("servers"),
          "none; name one with [[server]] url = \"http://gpu0:8000\" in the file, in "
          "BERTH_SERVERS or on the command line");
    }
    for (const Server& server : config_.servers) {
      if (!server.tls_verify && server.url.starts_with("https://")) {
        warning(entry_key("server", server.url, "tls_verify"),
                "off: anybody between here and there can read prompts and keys and answer in its "
                "place");
      }
      const std::string ca = entry_key("server", server.url, "tls_ca_file");
      if (!server.tls_ca_file.empty() && server.url.starts_with("http://")) {
        problem(ca, "the url is http; a certificate is only checked for https");
      } else if (!server.tls_ca_file.empty()) {
        certificate_is_good(ca, server.tls_ca_file);
      }
    }
  }

  void listeners() {
    if (addresses_collide(config_.listen, config_.admin)) {
      const char* key = draft_.origin("admin").text.empty() ? "listen" : "admin";
      problem(key, fmt::format("listen ({}) and admin ({}) need different ports",
                               format_address(config_.listen), format_address(config_.admin)));
    }
    if (const auto why = open_admin_problem(config_)) problem("admin", *why);
  }

  void tls() {
    if (config_.tls_certificate_file.empty() != config_.tls_key_file.empty()) {
      const bool has_key = config_.tls_certificate_file.empty();
      problem(has_key ? "tls_key_file" : "tls_certificate_file",
              fmt::format("{} is missing; TLS needs both",
                          has_key ? "tls_certificate_file" : "tls_key_file"));
    }
    const std::string& certificate = config_.tls_certificate_file;
    const bool good =
        !certificate.empty() && certificate_is_good("tls_certificate_file", certificate);
    if (config_.tls_key_file.empty()) return;
    warn_if_open_to_all(config_.tls_key_file, config_.warnings);
    if (!good) return;
    if (const auto why = key_problem(certificate, config_.tls_key_file))
      problem("tls_key_file", *why);
  }

  bool certificate_is_good(const std::string& key, const std::string& path) {
    const auto end = certificate_end(path);
    if (!end) {
      problem(key, end.error().message);
      return false;
    }
    const auto left = *end - std::chrono::system_clock::now();
    if (left < Duration::zero()) {
      warning(key, fmt::format("the certificate in {} has expired", path));
    } else if (left < kRenewalTime) {
      warning(key, fmt::format("the certificate in {} expires in {} days", path,
                               std::chrono::duration_cast<std::chrono::hours>(left).count() / 24));
    }
    return true;
  }

  void open_listener() {
    if (const auto why = open_listener_problem(config_)) {
      problem("listen", *why);
    } else if (is_open(config_)) {
      warning("allow_open_listener",
              fmt::format("everybody who can reach {} can use the models, without a key",
                          format_address(config_.listen)));
    }
  }

  void upstream_key() {
    const bool both = draft_.origins.contains("upstream_api_key") &&
                      draft_.origins.contains("upstream_api_key_file");
    if (both && draft_.origin("upstream_api_key_file").at.line != 0) {
      problem("upstream_api_key_file", "upstream_api_key is set, too; give one of them");
    }
  }

  void limits() {
    if (config_.limits.body_bytes > config_.limits.body_bytes_in_memory) {
      const char* key = draft_.origin("limits.body_bytes").text.empty()
                            ? "limits.body_bytes_in_memory"
                            : "limits.body_bytes";
      problem(key,
              fmt::format("one body of body_bytes ({}) would not fit in body_bytes_in_memory ({})",
                          format_size(config_.limits.body_bytes),
                          format_size(config_.limits.body_bytes_in_memory)));
    }
  }

  void timeouts() {
    const Timeouts& t = config_.timeouts;
    if (t.upstream_pool_idle >= kUvicornKeepAlive) {
      warning("timeouts.upstream_pool_idle",
              fmt::format(
                  "{} is not below 5s, when uvicorn (vLLM's HTTP server) closes idle connections; "
                  "requests would meet a closing connection unless VLLM_HTTP_TIMEOUT_KEEP_ALIVE is "
                  "raised there",
                  format_duration(t.upstream_pool_idle)));
    }
    if (t.keep_alive_after == Duration::zero() || t.keep_alive_after >= kClientPatience) {
      warning("timeouts.keep_alive_after",
              "coding agents give up after 120 to 360 silent seconds and send the turn again; "
              "keep-alive "
              "events begin too late for that or never");
    }
  }

  void edits() {
    if (config_.cache_salt_per_tenant && config_.client_keys.empty()) {
      warning("cache_salt_per_tenant", "has no effect without client keys: there are no tenants");
    }
    if (config_.body_edits == BodyEdits::kOn) return;
    if (config_.cache_salt_per_tenant) {
      problem("cache_salt_per_tenant", "needs body_edits, which is off");
    }
    for (const Model& model : config_.models) {
      if (model.aliases.empty()) continue;
      warning(
          entry_key("model", model.name, "aliases"),
          "body_edits is off, so a request that uses an alias reaches the engine under the alias");
    }
  }

  Draft& draft_;
  Config& config_;
};

}  // namespace

void check_together(Draft& draft) { Checker(draft).run(); }

}  // namespace berth::config
