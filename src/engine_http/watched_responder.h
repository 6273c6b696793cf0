// A responder that knows what it sent and whether the client is still there.
#pragma once

#include <functional>
#include <string>

#include "engine_http/sha256.h"
#include "http/server.h"

namespace berth::engine_http {

// Owner: the request's coroutine; `inner` outlives it.
class WatchedResponder final : public http::Responder {
 public:
  explicit WatchedResponder(http::Responder& inner);
  ~WatchedResponder() override;

  net::Task<bool> reply(int status, std::string content_type, std::string body,
                        ExtraHeaders extra = {}) override;
  net::Task<bool> start(int status, std::string content_type, ExtraHeaders extra = {}) override;
  net::Task<bool> write(std::string chunk) override;
  net::Task<bool> finish() override;
  // The last write and finish(). A client that leaves once it has this chunk has the whole
  // response: some close without waiting for the end of the body.
  net::Task<bool> finish_with(std::string chunk);
  void abort() override;
  // Called at once if the client has left already.
  void on_gone(std::function<void()> callback) override;

  bool answered() const { return status_ != 0; }
  // The client left, or the connection was dropped, before the response was whole.
  bool gone() const { return gone_; }
  int status() const { return status_; }
  std::uint64_t bytes() const { return bytes_; }
  std::string sha256() { return hash_.hex(); }

 private:
  void note(std::string_view body);
  void left();

  http::Responder& inner_;
  Sha256 hash_;
  int status_ = 0;
  std::uint64_t bytes_ = 0;
  bool gone_ = false;
  bool whole_ = false;
  bool ending_ = false;  // the last chunk is being written: only its failure counts
  std::function<void()> callback_;
};

}  // namespace berth::engine_http
