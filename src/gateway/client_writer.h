// Writes one response to the client: head once, body as it comes, framing of our own.
//
// One read from the server becomes one write here: a chunk's size line, its bytes and its end leave
// in one vectored write. Owner and thread: the exchange's. Every write is bounded by
// timeouts.client_write; a client that stops reading is closed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "http/head.h"
#include "http/head_writer.h"
#include "net/deadline.h"
#include "net/stream.h"

namespace berth::gateway {

using ExtraHeaders = std::vector<std::pair<std::string, std::string>>;

class ClientWriter {
 public:
  // `request` decides version and whether a body may be sent (HEAD). Both references outlive the
  // writer.
  ClientWriter(net::Stream& stream, const http::RequestHead& request, Duration write_timeout);

  // A whole answer of Berth's own. False: the client is gone.
  net::Task<bool> reply(int status, std::string content_type, std::string body, ExtraHeaders extra);
  // The head of a server's response, as it came but for the hop-by-hop headers and `extra`.
  net::Task<bool> start(const http::ResponseHead& response, ExtraHeaders extra);
  // A 200 event stream of Berth's own, begun with `first` (a keep-alive event).
  net::Task<bool> start_event_stream(ExtraHeaders extra, std::string first);
  // Body bytes. `pieces` may be empty: nothing is written.
  net::Task<bool> body(std::span<const std::string_view> pieces);
  // The end of the body.
  net::Task<bool> finish();

  // The connection must be closed after this response (told to the client where the head is still
  // to come).
  void close_after() { close_after_ = true; }
  bool started() const { return started_; }
  bool finished() const { return finished_; }
  // The response is whole and the connection may serve another request.
  bool connection_usable() const { return finished_ && !close_after_ && !broken_; }
  std::uint64_t body_bytes() const { return body_bytes_; }

 private:
  net::Task<bool> write_head(const http::ResponseHead* head, http::ResponseFraming framing,
                             const ExtraHeaders* extra, std::string_view first);
  net::Task<bool> write(std::vector<net::asio::const_buffer> pieces);

  net::Stream& stream_;
  const http::RequestHead& request_;
  const Duration write_timeout_;
  net::Deadline deadline_;
  http::ResponseFraming framing_;
  std::uint64_t body_bytes_ = 0;
  bool close_after_ = false;
  bool started_ = false;
  bool finished_ = false;
  bool broken_ = false;  // a write failed: nothing more can be sent
};

}  // namespace berth::gateway
