// Writes a reply in the shape of the API that asked: as one JSON body, or as an event stream token
// by token.
//
// Pure: bytes out, no I/O. Owner: the request's handler; the request and the reply must outlive the
// writer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine_http/api_error.h"
#include "engine_http/generate_request.h"
#include "engine_http/reply.h"

namespace berth::engine_http {

struct Usage {
  std::uint64_t prompt = 0;  // the cached ones included
  std::uint64_t cached = 0;
  std::uint64_t output = 0;
};

// What every response of a request has in common.
struct ReplyIdentity {
  std::string id;             // with the API's own prefix
  std::string model;          // the server's first served name, as vLLM answers
  std::int64_t created = 0;   // seconds since 1970
  bool cache_details = true;  // --enable-prompt-tokens-details
};

class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  // The events before the first token; empty for most APIs.
  virtual std::string open() { return {}; }
  // The events of token `index`; call with 0, 1, 2, ... `usage.output` counts this token. May be
  // empty.
  virtual std::string token(std::size_t index, const Usage& usage) = 0;
  // The events after the last token.
  virtual std::string close(const Usage& usage) = 0;
  // Ends a stream that failed after its status was sent.
  virtual std::string stream_error(const ApiError& error) = 0;
  // The whole response, where no stream was asked for.
  virtual std::string whole(const Usage& usage) = 0;
};

std::unique_ptr<ReplyWriter> make_messages_writer(const Reply& reply, ReplyIdentity identity);
std::unique_ptr<ReplyWriter> make_chat_writer(const GenerateRequest& request, const Reply& reply,
                                              ReplyIdentity identity);
std::unique_ptr<ReplyWriter> make_completions_writer(const GenerateRequest& request,
                                                     const Reply& reply, ReplyIdentity identity);
std::unique_ptr<ReplyWriter> make_responses_writer(const GenerateRequest& request,
                                                   const Reply& reply, ReplyIdentity identity);
// The one for request.api.
std::unique_ptr<ReplyWriter> make_writer(const GenerateRequest& request, const Reply& reply,
                                         ReplyIdentity identity);

// The prefix of response ids: "chatcmpl-", "cmpl-" or "resp_" (messages are chat completions inside
// vLLM).
std::string_view id_prefix(Api api);

}  // namespace berth::engine_http
