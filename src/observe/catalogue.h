// Every metric Berth exposes: name, help, type, unit and labels, in one place. docs/metrics.md
// explains them; a test holds the two together.
//
// Label values are closed sets: models, replicas ("server" or "server/rank" labels of the fleet),
// outcomes, reasons, states and error codes. Nothing a client sent ever becomes one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "observe/metrics.h"

namespace berth::observe {

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram };

struct MetricSpec {
  std::string_view name;
  MetricType type;
  std::string_view unit;
  std::array<std::string_view, 3> labels;  // empty: none
  std::string_view help;
};

// The specs by name, then all of them.
namespace metric {
inline constexpr auto kC = MetricType::kCounter;
inline constexpr auto kG = MetricType::kGauge;
inline constexpr auto kH = MetricType::kHistogram;

// Requests
inline constexpr MetricSpec kRequests{
    "berth_requests_total",
    kC,
    "requests",
    {"model", "replica", "outcome"},
    "Requests by where they were sent and why; every request has exactly one outcome."};
inline constexpr MetricSpec kDecisions{
    "berth_decisions_total", kC, "decisions", {"model", "reason"}, "Routing decisions by reason."};
inline constexpr MetricSpec kResponses{
    "berth_responses_total",
    kC,
    "responses",
    {"model", "code"},
    "Responses sent to clients by status class (2xx, 4xx, ...)."};
inline constexpr MetricSpec kErrors{
    "berth_errors_total", kC, "errors", {"code"}, "Requests that failed, by error code."};
inline constexpr MetricSpec kInFlight{
    "berth_requests_in_flight",
    kG,
    "requests",
    {"model", "replica"},
    "Requests sent to the replica and not finished, as Berth counts them."};
inline constexpr MetricSpec kConnections{
    "berth_client_connections", kG, "connections", {}, "Open client connections."};
inline constexpr MetricSpec kTtfb{
    "berth_ttfb_seconds",
    kH,
    "seconds",
    {"model"},
    "Time from the request's arrival to the first content token sent to the client."};
inline constexpr MetricSpec kQueue{
    "berth_queue_seconds",
    kH,
    "seconds",
    {"model"},
    "Time a request waited in Berth before it was sent to a replica."};
inline constexpr MetricSpec kDuration{
    "berth_request_duration_seconds",
    kH,
    "seconds",
    {"model"},
    "Time from the request's arrival to the end of its response."};
inline constexpr MetricSpec kPromptTokens{
    "berth_prompt_tokens_total",
    kC,
    "tokens",
    {"model", "replica"},
    "Prompt tokens of finished requests, as the engine reported them."};
inline constexpr MetricSpec kCachedTokens{
    "berth_cached_prompt_tokens_total",
    kC,
    "tokens",
    {"model", "replica"},
    "Prompt tokens read from the prefix cache, as the engine reported them; never an estimate."};
inline constexpr MetricSpec kOutputTokens{
    "berth_output_tokens_total",
    kC,
    "tokens",
    {"model", "replica"},
    "Output tokens of finished requests, as the engine reported them."};
inline constexpr MetricSpec kUnmeasured{
    "berth_unmeasured_requests_total",
    kC,
    "requests",
    {"model", "replica"},
    "Finished requests whose cached tokens the engine did not report; they count as computed."};
inline constexpr MetricSpec kRequestBytes{"berth_request_body_bytes_total",
                                          kC,
                                          "bytes",
                                          {"model"},
                                          "Bytes of request bodies received from clients."};
inline constexpr MetricSpec kResponseBytes{"berth_response_body_bytes_total",
                                           kC,
                                           "bytes",
                                           {"model"},
                                           "Bytes of response bodies sent to clients."};
inline constexpr MetricSpec kKeepAlives{"berth_keep_alive_events_total",
                                        kC,
                                        "events",
                                        {"model"},
                                        "Keep-alive events written to silent streams."};

// Upstream
inline constexpr MetricSpec kRetries{"berth_retries_total",
                                     kC,
                                     "retries",
                                     {"model", "replica"},
                                     "Requests sent a second time because the replica provably did "
                                     "not start them; by the replica that failed."};
inline constexpr MetricSpec kConnects{"berth_upstream_connects_total",
                                      kC,
                                      "connections",
                                      {"server"},
                                      "Connections opened to the server for requests."};
inline constexpr MetricSpec kReuses{"berth_upstream_reuses_total",
                                    kC,
                                    "requests",
                                    {"server"},
                                    "Requests that went over a connection already open."};

// Fleet
inline constexpr MetricSpec kBindings{
    "berth_bindings", kG, "conversations", {"model"}, "Conversations that have a home."};
inline constexpr MetricSpec kResident{
    "berth_replica_resident_conversations",
    kG,
    "conversations",
    {"model", "replica"},
    "Conversations bound to the replica and used in the last ten minutes."};
inline constexpr MetricSpec kThreshold{"berth_overflow_threshold",
                                       kG,
                                       "requests",
                                       {"model"},
                                       "Requests in flight past which a home overflows."};
inline constexpr MetricSpec kReplicaState{
    "berth_replica_state",
    kG,
    "boolean",
    {"model", "replica", "state"},
    "1 for the state the replica is in (up, suspect, down, draining), 0 for the others."};
inline constexpr MetricSpec kRunning{"berth_replica_running_requests",
                                     kG,
                                     "requests",
                                     {"model", "replica"},
                                     "Requests the engine was running at the last scrape."};
inline constexpr MetricSpec kWaiting{"berth_replica_waiting_requests",
                                     kG,
                                     "requests",
                                     {"model", "replica"},
                                     "Requests in the engine's own queue at the last scrape."};
inline constexpr MetricSpec kKvUsage{
    "berth_replica_kv_usage_ratio",
    kG,
    "ratio",
    {"model", "replica"},
    "KV cache blocks in use by running requests at the last scrape, 0 to 1."};
inline constexpr MetricSpec kKvCapacity{
    "berth_replica_kv_capacity_tokens",
    kG,
    "tokens",
    {"model", "replica"},
    "Tokens the replica's KV cache holds; 0 when the engine does not tell."};
inline constexpr MetricSpec kPrefixQueries{
    "berth_replica_prefix_queried_tokens_total",
    kC,
    "tokens",
    {"model", "replica"},
    "Tokens the engine looked up in its prefix cache, its own count carried over restarts."};
inline constexpr MetricSpec kPrefixHits{
    "berth_replica_prefix_hit_tokens_total",
    kC,
    "tokens",
    {"model", "replica"},
    "Tokens the engine found in its prefix cache, its own count carried over restarts."};
inline constexpr MetricSpec kPreemptions{
    "berth_replica_preemptions_total",
    kC,
    "requests",
    {"model", "replica"},
    "Requests the engine preempted for lack of KV blocks, its own count carried over restarts."};
inline constexpr MetricSpec kScrapeAge{"berth_scrape_age_seconds",
                                       kG,
                                       "seconds",
                                       {"server"},
                                       "Time since the server's metrics were last read."};
inline constexpr MetricSpec kScrapeFailures{"berth_scrape_failures_total",
                                            kC,
                                            "scrapes",
                                            {"server"},
                                            "Reads of the server's metrics that failed."};

// The process
inline constexpr MetricSpec kLogDropped{
    "berth_access_log_dropped_lines_total",
    kC,
    "lines",
    {},
    "Access log lines dropped because the ring was full or the file could not be written."};
inline constexpr MetricSpec kReloads{"berth_config_reloads_total",
                                     kC,
                                     "reloads",
                                     {"result"},
                                     "Configuration reloads by result (ok, failed)."};
inline constexpr MetricSpec kReloadOk{"berth_config_last_reload_successful",
                                      kG,
                                      "boolean",
                                      {},
                                      "1 when the newest configuration was accepted."};
inline constexpr MetricSpec kReloadTime{"berth_config_last_reload_timestamp_seconds",
                                        kG,
                                        "seconds",
                                        {},
                                        "Unix time of the last accepted configuration."};
inline constexpr MetricSpec kStartTime{"berth_start_timestamp_seconds",
                                       kG,
                                       "seconds",
                                       {},
                                       "Unix time at which the process began to serve."};
inline constexpr MetricSpec kBuildInfo{"berth_build_info",
                                       kG,
                                       "boolean",
                                       {"version", "compiler"},
                                       "Always 1; the labels tell what was built."};
}  // namespace metric

std::span<const MetricSpec* const> catalogue();

// Children by spec; `values` in the order of the spec's labels, as many as it has (checked).
std::shared_ptr<Counter> counter(Registry& registry, const MetricSpec& spec,
                                 const std::vector<std::string>& values);
std::shared_ptr<Histogram> histogram(Registry& registry, const MetricSpec& spec,
                                     const std::vector<std::string>& values);

// A reader for a gauge or a counter kept elsewhere; called when scraped.
struct Reading {
  std::vector<std::string> values;
  double value = 0;
};
void collect(Registry& registry, const MetricSpec& spec,
             std::function<std::vector<Reading>()> read);

}  // namespace berth::observe
