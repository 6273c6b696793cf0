// Passes one response from a server to the client: one read, one write, nothing buffered, nothing
// re-printed. What one read brought leaves in one write, be it head and body, or body and end.
//
// While the server is silent on a streaming request, keep-alive events of the API's own shape go to
// the client. If one had to go out before the server's head came, the 200 is committed: whatever
// the server then says other than a 200 stream becomes an in-stream error of that API.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "gateway/client_writer.h"
#include "gateway/upstream_connection.h"
#include "gateway/wakeup.h"
#include "http/response_parser.h"
#include "inspect/api.h"
#include "inspect/response_tap.h"

namespace berth::gateway {

struct RelayOptions {
  inspect::ApiShape shape{};
  std::string model;    // as the client called it, for keep-alive events
  bool stream = false;  // the client asked for an event stream
  bool remove_usage_chunk = false;
  Duration keep_alive_after{};    // 0: off
  Duration first_byte_timeout{};  // silence until the engine works on the request
  Duration idle_timeout{};        // silence after that
  ExtraHeaders extra;             // for the response head
  std::string request_id;         // for errors inside a stream
  std::size_t head_bytes = 64 * 1024;
};

// What the exchange hears while the relay runs.
struct RelayEvents {
  std::function<void()> on_head;     // the server answers: there will be no second attempt
  std::function<void()> on_prefill;  // at most once: the engine has read the prompt of a 2xx
};

enum class RelayEnd : std::uint8_t {
  kWhole,  // the response ended as its framing says, and the client has it; or the API's own end of
           // the stream had passed when the client closed
  kNoByte,  // the server closed before any byte of a response; nothing went to the client
  kBroken,  // the server closed, timed out or made no sense before the end
  kClientGone,
};

struct RelayResult {
  RelayEnd end = RelayEnd::kBroken;
  // With kBroken and kNoByte, and with kWhole where the server's answer came too late to be passed
  // on as it was (kUpstreamError).
  std::optional<Error> error;
  int status = 0;                        // the server's; 0 when no head came
  std::optional<Instant> first_content;  // of an event stream: when its first content passed
  bool prefilled = false;                // on_prefill was called
  inspect::TapResult tap;
  std::uint32_t keep_alives = 0;
  bool connection_reusable = false;
  bool usage_removed = false;
};

class ResponseRelay {
 public:
  // All references outlive the relay. `client_gone` is read after every wake-up of `wakeup`.
  ResponseRelay(const Clock& clock, UpstreamConnection& upstream, ClientWriter& writer,
                Wakeup& wakeup, const bool& client_gone, RelayOptions options, RelayEvents events);

  // On return no read is outstanding that the caller has to care about: unless the connection is
  // reusable it is closed and detached.
  net::Task<RelayResult> run();
  // The API's own end of the stream has passed: the engine has nothing left to do. Clients close
  // when they read it, before the framing ends; the engine must not be aborted for that.
  bool end_passed() const { return event_stream_ && tap_ && tap_->result().ended; }

 private:
  net::Task<void> loop();
  net::Task<void> read_out();
  // The three answer whether to go on: false ends the loop, with result_ filled.
  net::Task<bool> on_bytes(std::string_view bytes);
  net::Task<bool> send_keep_alive();
  net::Task<bool> send();
  // What the parser has just found, put together for the next send().
  void on_head();
  void on_body();
  void on_end();
  net::Task<void> on_closed(net::error_code why);
  net::Task<void> fail_with(Error error);
  bool keep_alive_possible() const;
  bool answers_with_success() const;
  void note_prefill();
  std::string late_error_message() const;
  Duration silence_allowed() const;
  Instant next_due() const;

  const Clock& clock_;
  UpstreamConnection& upstream_;
  ClientWriter& writer_;
  Wakeup& wakeup_;
  const bool& client_gone_;
  const RelayOptions options_;
  const RelayEvents events_;

  http::ResponseParser parser_;
  http::BodySpans spans_;
  std::optional<inspect::ResponseTap> tap_;
  std::optional<inspect::UsageChunkFilter> filter_;
  std::string filtered_;           // what one read leaves of the body; sent at once
  std::string tail_;               // what Berth puts after the server's bytes
  std::string late_error_;         // body of an error that came after a 200 was committed, bounded
  bool event_stream_ = false;      // the server answers with one
  bool keep_alive_first_ = false;  // the client's head was sent by a keep-alive
  bool late_error_due_ = false;
  bool encoded_ = false;     // what the tap cannot read
  bool insertable_ = false;  // bytes of ours may stand between those of the server
  Instant last_byte_{};      // from the server
  Instant last_sent_{};      // to the client
  RelayResult result_;
};

}  // namespace berth::gateway
