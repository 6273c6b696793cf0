#include "http/responder.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "http/chunk.h"

namespace berth::http {

using net::asio::buffer;
using net::asio::const_buffer;

std::string error_body(const Error& error) {
  nlohmann::ordered_json body;
  body["error"]["code"] = error_code_name(error.code);
  body["error"]["message"] = error.message;
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ConnectionResponder::ConnectionResponder(net::Stream& stream, RequestReader& reader,
                                         const RequestHead& head, bool closing)
    : stream_(stream), reader_(reader), head_(head), closing_(closing) {}

std::string ConnectionResponder::head_bytes(int status, const std::string& content_type,
                                            const ExtraHeaders& extra) const {
  ResponseHead head;
  head.status = status;
  std::vector<Header> set;
  if (!content_type.empty()) set.push_back({"Content-Type", content_type});
  for (const auto& [name, value] : extra) set.push_back({name, value});
  std::string out;
  write_response_head(out, head, framing_, HeadEdits{{}, set});
  return out;
}

net::Task<bool> ConnectionResponder::send(std::span<const const_buffer> pieces) {
  const auto written = co_await stream_.write_all(pieces);
  if (!written.error) co_return true;
  state_ = State::kBroken;
  co_return false;
}

net::Task<bool> ConnectionResponder::reply(int status, std::string content_type, std::string body,
                                           ExtraHeaders extra) {
  BERTH_CHECK(state_ == State::kFresh);
  const bool bodiless = status == 204 || status == 304;
  framing_ = sized_framing(head_, body.size());
  if (bodiless) framing_.framing = BodyFraming::kNone;
  framing_.keep_alive = framing_.keep_alive && !closing_ && reader_.body_read();
  state_ = State::kDone;
  const auto head = head_bytes(status, content_type, extra);
  const bool send_body = !bodiless && head_.method != "HEAD";
  const std::array<const_buffer, 2> pieces = {buffer(head),
                                              buffer(send_body ? std::string_view(body) : "")};
  co_return co_await send(pieces);
}

net::Task<bool> ConnectionResponder::start(int status, std::string content_type,
                                           ExtraHeaders extra) {
  BERTH_CHECK(state_ == State::kFresh);
  framing_ = streamed_framing(head_);
  framing_.keep_alive = framing_.keep_alive && !closing_ && reader_.body_read();
  state_ = State::kStarted;
  const auto head = head_bytes(status, content_type, extra);
  const std::array<const_buffer, 1> pieces = {buffer(head)};
  co_return co_await send(pieces);
}

net::Task<bool> ConnectionResponder::write(std::string chunk) {
  if (state_ != State::kStarted || reader_.gone()) co_return false;
  if (chunk.empty() || head_.method == "HEAD") co_return true;
  if (framing_.framing != BodyFraming::kChunked) {
    const std::array<const_buffer, 1> pieces = {buffer(chunk)};
    co_return co_await send(pieces);
  }
  const ChunkHeader header(chunk.size());
  const std::array<const_buffer, 3> pieces = {buffer(header.view()), buffer(chunk),
                                              buffer(kChunkEnd)};
  co_return co_await send(pieces);
}

net::Task<bool> ConnectionResponder::finish() {
  if (state_ != State::kStarted) co_return false;
  state_ = State::kDone;
  if (framing_.framing != BodyFraming::kChunked || head_.method == "HEAD") co_return true;
  const std::array<const_buffer, 1> pieces = {buffer(kLastChunk)};
  co_return co_await send(pieces);
}

void ConnectionResponder::abort() {
  state_ = State::kBroken;
  stream_.close();
}

void ConnectionResponder::on_gone(std::function<void()> callback) {
  reader_.on_gone(std::move(callback));
}

}  // namespace berth::http
