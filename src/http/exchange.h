// One request to a server and its response, read as it comes: for event streams and for fetch().
// Off the data path; a new connection each time.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "http/client.h"
#include "http/head.h"
#include "net/types.h"

namespace berth::http {

// Owner: the coroutine that reads it. Thread: its executor. Dropping it closes the connection.
class Exchange {
 public:
  // Connects, sends, and reads up to the end of the response's head. request.timeout covers the
  // whole exchange, reading the body included; max_body is not looked at. Errors as fetch().
  static net::Task<Result<std::unique_ptr<Exchange>>> begin(Url url, ClientRequest request,
                                                            boost::asio::ssl::context* tls);
  ~Exchange();

  const ResponseHead& head() const;

  // Replaces `piece` by what one read gave of the decoded body. False at the end of the body; then
  // `piece` is empty. `piece` must outlive the call.
  net::Task<Result<bool>> read(std::string& piece);

  // Ends it at once from another coroutine of the same thread: read() fails.
  void close() noexcept;

 private:
  struct Impl;
  explicit Exchange(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::http
