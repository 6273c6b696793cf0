#include "gateway/client_writer.h"

#include "base/check.h"
#include "http/chunk.h"
#include "http/status.h"

namespace berth::gateway {

ClientWriter::ClientWriter(net::Stream& stream, const http::RequestHead& request,
                           Duration write_timeout)
    : stream_(stream),
      request_(request),
      write_timeout_(write_timeout),
      deadline_(stream.get_executor(), [this] { stream_.close(); }) {
  if (!request.keep_alive) close_after_ = true;
}

net::Task<bool> ClientWriter::reply(int status, std::string content_type, std::string body,
                                    ExtraHeaders extra) {
  http::ResponseHead head;
  head.status = status;
  head.reason = http::reason_phrase(status);
  if (!body.empty()) head.headers.add("content-type", content_type);
  const bool bodiless = request_.method == "HEAD";
  const http::ResponseFraming framing = http::sized_framing(request_, body.size());
  const std::string_view first = bodiless ? std::string_view() : std::string_view(body);
  body_bytes_ += first.size();
  const bool sent = co_await write_head(&head, framing, &extra, first);
  finished_ = sent;
  co_return sent;
}

net::Task<bool> ClientWriter::start(const http::ResponseHead& response, ExtraHeaders extra) {
  const http::ResponseFraming framing = http::framing_for_client(request_, response);
  co_return co_await write_head(&response, framing, &extra, {});
}

net::Task<bool> ClientWriter::start_event_stream(ExtraHeaders extra, std::string first) {
  http::ResponseHead head;
  head.status = 200;
  head.reason = http::reason_phrase(200);
  head.headers.add("content-type", "text/event-stream; charset=utf-8");
  head.headers.add("cache-control", "no-cache");
  const http::ResponseFraming framing = http::streamed_framing(request_);
  const bool sent = co_await write_head(&head, framing, &extra, {});
  if (!sent) co_return false;
  const std::string_view piece = first;
  co_return co_await body(std::span(&piece, 1));
}

net::Task<bool> ClientWriter::write_head(const http::ResponseHead* head,
                                         http::ResponseFraming framing, const ExtraHeaders* extra,
                                         std::string_view first) {
  BERTH_CHECK(!started_);
  started_ = true;
  framing_ = framing;
  if (close_after_) framing_.keep_alive = false;
  if (!framing_.keep_alive || framing_.framing == http::BodyFraming::kUntilClose)
    close_after_ = true;
  std::vector<http::Header> set;
  for (const auto& [name, value] : *extra) set.push_back({name, value});
  http::HeadEdits edits;
  edits.set = set;
  std::string text;
  http::write_response_head(text, *head, framing_, edits);
  std::vector<net::asio::const_buffer> pieces{net::asio::buffer(text)};
  if (!first.empty()) pieces.emplace_back(first.data(), first.size());
  co_return co_await write(std::move(pieces));
}

net::Task<bool> ClientWriter::body(std::span<const std::string_view> pieces) {
  std::size_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  if (total == 0) co_return !broken_;
  body_bytes_ += total;
  const bool chunked = framing_.framing == http::BodyFraming::kChunked;
  const http::ChunkHeader size_line(total);
  std::vector<net::asio::const_buffer> buffers;
  buffers.reserve(pieces.size() + 2);
  if (chunked) buffers.emplace_back(size_line.view().data(), size_line.view().size());
  for (const std::string_view piece : pieces) buffers.emplace_back(piece.data(), piece.size());
  if (chunked) buffers.emplace_back(http::kChunkEnd.data(), http::kChunkEnd.size());
  co_return co_await write(std::move(buffers));
}

net::Task<bool> ClientWriter::finish() {
  if (broken_) co_return false;
  if (framing_.framing == http::BodyFraming::kChunked) {
    std::vector<net::asio::const_buffer> last{
        net::asio::const_buffer(http::kLastChunk.data(), http::kLastChunk.size())};
    if (!co_await write(std::move(last))) co_return false;
  }
  finished_ = true;
  co_return true;
}

net::Task<bool> ClientWriter::write(std::vector<net::asio::const_buffer> pieces) {
  if (broken_) co_return false;
  deadline_.expires_after(write_timeout_);
  const net::IoResult result = co_await stream_.write_all(pieces);
  deadline_.cancel();
  if (result.error) broken_ = true;
  co_return !broken_;
}

}  // namespace berth::gateway
