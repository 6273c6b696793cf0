// One request from its head to its log line.
//
// The phases, in order (ARCHITECTURE.md tells the same story):
//   local      answers Berth gives itself: /v1/models, probes, everything it does not serve
//   auth       whose request is this
//   body       read whole, bounded by limits.body_bytes and the shared budget
//   inspect    model, stream, history hashes
//   identify   which conversation
//   route      which replica (forward.cc from here)
//   connect    a pooled connection or a new one
//   send       head and body, edited by splices only
//   relay      the response as it comes (response_relay.h)
//   log        one access line and the metrics, always, once
//
// Owner: serve_connection, on its stack. Thread: the worker's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/client_connection.h"
#include "gateway/client_writer.h"
#include "gateway/in_flight.h"
#include "gateway/response_relay.h"
#include "gateway/wakeup.h"
#include "gateway/worker.h"
#include "http/head.h"
#include "inspect/api.h"
#include "inspect/edits.h"
#include "inspect/request_facts.h"
#include "net/abort.h"

namespace berth::gateway {

class Exchange {
 public:
  // A pooled connection is stale, and its request safe to send again, only if it closes within this
  // time of the write's beginning. The server's idle closing (uvicorn: after 5 s) that crosses a
  // request shows within a round trip, for which this leaves room between continents and on a busy
  // machine; a connection that lives longer was taken up by the server, and the engine may have
  // worked on the request.
  static constexpr Duration kStaleWithin = std::chrono::milliseconds(500);

  Exchange(Worker& worker, ClientConnection& client, const http::RequestHead& head,
           std::shared_ptr<const LiveConfig> live);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Runs every phase. True: the connection may serve another request.
  net::Task<bool> run();

 private:
  enum class Attempt : std::uint8_t {
    kAnswered,    // the client has its response, whole or as far as it goes
    kNotStarted,  // the replica provably never saw the request: another may be tried
    kStale,       // a pooled connection closed within kStaleWithin and before a byte came: the same
                  // replica again, on a new connection
  };

  net::Task<bool> answer_locally();
  net::Task<Result<void>> admit();
  net::Task<Result<void>> receive_body();
  Result<void> inspect_body();
  Result<void> resolve_model();

  net::Task<void> forward();
  net::Task<void> try_replicas(routing::Dispatch dispatch);
  net::Task<Attempt> attempt(Model::Destination destination, bool fresh);
  net::Task<Result<std::shared_ptr<UpstreamConnection>>> connect(
      const Model::Destination* destination, bool fresh);
  net::Task<bool> send(const Model::Destination* destination);
  net::Task<Attempt> relay(const Model::Destination* destination);
  void settle(const RelayResult& result);
  static void judge_stream_error(const RelayResult& result, routing::Finish& finish);
  void release_body();
  Attempt answered_gone();  // closes the ticket: abandoned when nothing was sent
  // Counts where the router sends the request, and notes it for the log and the client.
  void note_dispatch(const routing::Dispatch& dispatch, const Model::Destination& destination);

  std::string upstream_head(const Model::Destination& destination) const;
  void edit_body();
  ExtraHeaders::value_type request_id_header() const;
  ExtraHeaders response_headers(const Model::Destination& destination) const;
  RelayOptions relay_options(const Model::Destination& destination) const;

  net::Task<void> refuse(Error error, std::optional<std::uint32_t> retry_after_s = std::nullopt);
  void on_client_gone();
  void write_log_line();
  inspect::ApiShape shape() const;

  Worker& worker_;
  SharedState& shared_;
  ClientConnection& client_;
  const http::RequestHead& head_;
  const std::shared_ptr<const LiveConfig> live_;
  ClientWriter writer_;
  Wakeup wakeup_;

  const inspect::Endpoint* endpoint_ = nullptr;
  BodyBudget::Share body_share_;
  std::string body_;
  inspect::BodyFacts facts_;
  std::string upstream_model_;
  std::shared_ptr<Model> model_;
  std::shared_ptr<const ModelMetrics> metrics_;  // of model_
  routing::Servers servers_;                     // that serve upstream_model_
  routing::RequestFacts routing_facts_;
  InFlight in_flight_;
  std::shared_ptr<UpstreamConnection> upstream_;  // while one is in use, for on_client_gone
  const ResponseRelay* relay_ = nullptr;          // while it runs, likewise
  net::Abort connecting_;                         // likewise
  std::optional<Error> attempt_error_;            // why the last attempt did not answer
  routing::Outcome outcome_ = routing::Outcome::kUnbound;
  std::optional<routing::Reason> reason_;  // of the last dispatch
  bool usage_added_ = false;
  bool client_gone_ = false;
  bool dispatched_ = false;
  bool sent_ = false;     // a replica may have seen the request
  bool counted_ = false;  // the router or count_without_dispatch knows how this request ended

  Instant started_;
  Instant whole_at_{};  // the request was read completely
  Instant sent_at_{};   // the last attempt began to write
  observe::AccessRecord record_;
};

}  // namespace berth::gateway
