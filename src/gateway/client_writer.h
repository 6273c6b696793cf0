// Writes one response to the client: head once, body as it comes, framing of our own.
//
// begin(), add() and end() put together what goes out next and flush() sends it in one write: one
// read from the server becomes one write here, whatever it brought. Head and first bytes leave
// together, and so do the last bytes and the last chunk.
//
// Owner and thread: the exchange's. A client that takes nothing for timeouts.client_write, or up to
// twice that, is closed; one that reads slowly is not.
#pragma once

#include <cstdint>
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
  // `request` decides version and whether a body may be sent (HEAD); `clock` dates Berth's own
  // answers (RFC 9110 section 6.6.1). All references outlive the writer.
  ClientWriter(net::Stream& stream, const http::RequestHead& request, const Clock& clock,
               Duration write_timeout);

  // A whole answer of Berth's own. False: the client is gone.
  net::Task<bool> reply(int status, std::string content_type, std::string body, ExtraHeaders extra);

  // The head of a server's response, as it came but for the hop-by-hop headers and `extra`.
  void begin(const http::ResponseHead& response, const ExtraHeaders& extra);
  // The head of a 200 event stream of Berth's own.
  void begin_event_stream(const ExtraHeaders& extra);
  // Body bytes; they stay where they are until flush() has returned.
  void add(std::string_view piece);
  // The end of the body.
  void end() { ending_ = true; }
  // Something was put together and not sent yet.
  bool pending() const { return !head_text_.empty() || pending_bytes_ > 0 || ending_; }
  // Sends what was put together. False: the client is gone.
  net::Task<bool> flush();

  // The connection must be closed after this response (told to the client where the head is still
  // to come).
  void close_after() { close_after_ = true; }
  bool started() const { return started_; }
  // The response ends with the connection and did not end well: closing it politely would say that
  // it is whole.
  bool must_reset() const {
    return started_ && !finished_ && framing_.framing == http::BodyFraming::kUntilClose;
  }
  // Of the head that was begun; 0 before.
  int status() const { return status_; }
  // The response is whole and the connection may serve another request.
  bool connection_usable() const { return finished_ && !close_after_ && !broken_; }
  std::uint64_t body_bytes() const { return body_bytes_; }

 private:
  void put_head(const http::ResponseHead& head, http::ResponseFraming framing,
                const ExtraHeaders& extra);
  void join_pieces();
  void on_write_overdue();

  net::Stream& stream_;
  const http::RequestHead& request_;
  const Clock& clock_;
  const Duration write_timeout_;
  net::Deadline deadline_;
  std::uint64_t taken_ = 0;  // by the client's TCP, when a write was last overdue
  http::ResponseFraming framing_;
  // Put together for the next flush().
  std::string head_text_;
  std::vector<std::string_view> pieces_;
  std::size_t pending_bytes_ = 0;  // in pieces_
  bool ending_ = false;
  std::string joined_;  // many small pieces as one
  std::vector<net::asio::const_buffer> buffers_;
  std::uint64_t body_bytes_ = 0;
  bool close_after_ = false;
  bool started_ = false;
  int status_ = 0;
  bool finished_ = false;
  bool broken_ = false;  // a write failed: nothing more can be sent
};

}  // namespace berth::gateway
