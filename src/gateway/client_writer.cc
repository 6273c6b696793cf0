#include "gateway/client_writer.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "http/chunk.h"
#include "http/date.h"
#include "http/status.h"
#include "net/acked_bytes.h"

namespace berth::gateway {

namespace {

// More pieces than this are copied together first: a burst of chunks decodes to a piece each, and a
// vectored write costs the kernel more for a hundred small pieces than copying them costs us.
constexpr std::size_t kMostPieces = 16;

net::asio::const_buffer buffer_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

ClientWriter::ClientWriter(net::Stream& stream, const http::RequestHead& request,
                           const Clock& clock, Duration write_timeout)
    : stream_(stream),
      request_(request),
      clock_(clock),
      write_timeout_(write_timeout),
      deadline_(stream.get_executor(), [this] { on_write_overdue(); }) {
  if (!request.keep_alive) close_after_ = true;
}

net::Task<bool> ClientWriter::reply(int status, std::string content_type, std::string body,
                                    ExtraHeaders extra) {
  http::ResponseHead head;
  head.status = status;
  head.reason = http::reason_phrase(status);
  const std::string date = http::http_date(clock_.wall());
  head.headers.add("date", date);
  if (!body.empty()) head.headers.add("content-type", content_type);
  put_head(head, http::sized_framing(request_, body.size()), extra);
  if (request_.method != "HEAD") add(body);
  end();
  co_return co_await flush();
}

void ClientWriter::begin(const http::ResponseHead& response, const ExtraHeaders& extra) {
  put_head(response, http::framing_for_client(request_, response), extra);
}

void ClientWriter::begin_event_stream(const ExtraHeaders& extra) {
  http::ResponseHead head;
  head.status = 200;
  head.reason = http::reason_phrase(200);
  const std::string date = http::http_date(clock_.wall());
  head.headers.add("date", date);
  head.headers.add("content-type", "text/event-stream; charset=utf-8");
  head.headers.add("cache-control", "no-cache");
  put_head(head, http::streamed_framing(request_), extra);
}

void ClientWriter::put_head(const http::ResponseHead& head, http::ResponseFraming framing,
                            const ExtraHeaders& extra) {
  BERTH_CHECK(!started_);
  started_ = true;
  status_ = head.status;
  framing_ = framing;
  if (close_after_) framing_.keep_alive = false;
  if (!framing_.keep_alive || framing_.framing == http::BodyFraming::kUntilClose)
    close_after_ = true;
  std::vector<http::Header> set;
  set.reserve(extra.size());
  for (const auto& [name, value] : extra) set.push_back({name, value});
  http::HeadEdits edits;
  edits.set = set;
  http::write_response_head(head_text_, head, framing_, edits);
}

void ClientWriter::add(std::string_view piece) {
  if (piece.empty()) return;
  pieces_.push_back(piece);
  pending_bytes_ += piece.size();
}

void ClientWriter::join_pieces() {
  joined_.clear();
  joined_.reserve(pending_bytes_);
  for (const std::string_view piece : pieces_) joined_.append(piece);
  pieces_.assign(1, joined_);
}

// One write may be minutes of reading for a slow client, so what its TCP took meanwhile counts.
// Asked only now, not before each write: that would be a system call for every event of a stream.
void ClientWriter::on_write_overdue() {
  const std::uint64_t taken = net::acked_bytes(stream_.socket().native_handle());
  if (taken <= std::exchange(taken_, taken)) return stream_.close();
  deadline_.expires_after(write_timeout_);
}

net::Task<bool> ClientWriter::flush() {
  if (broken_) co_return false;
  if (!pending()) co_return true;
  const bool chunked = framing_.framing == http::BodyFraming::kChunked;
  std::optional<http::ChunkHeader> size_line;
  if (pieces_.size() > kMostPieces) join_pieces();
  buffers_.clear();
  if (!head_text_.empty()) buffers_.push_back(buffer_of(head_text_));
  if (pending_bytes_ > 0) {
    if (chunked) buffers_.push_back(buffer_of(size_line.emplace(pending_bytes_).view()));
    for (const std::string_view piece : pieces_) buffers_.push_back(buffer_of(piece));
    if (chunked) buffers_.push_back(buffer_of(http::kChunkEnd));
  }
  if (ending_ && chunked) buffers_.push_back(buffer_of(http::kLastChunk));
  deadline_.expires_after(write_timeout_);
  const net::IoResult result = co_await stream_.write_all(buffers_);
  deadline_.cancel();
  broken_ = static_cast<bool>(result.error);
  finished_ = ending_ && !broken_;
  body_bytes_ += pending_bytes_;
  head_text_.clear();
  pieces_.clear();
  pending_bytes_ = 0;
  ending_ = false;
  co_return !broken_;
}

}  // namespace berth::gateway
