// Listens to a response body as it passes: usage, the first content token, in-stream errors.
// Changes nothing, and gives the same answer however the bytes are cut into reads.
//
// One object a response, used by one thread at a time. Keeps at most 1 MiB: of one event, or of a
// JSON body.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "inspect/api.h"

namespace berth::inspect {

// A count that was not told is absent, never 0.
struct TapResult {
  std::optional<std::uint64_t>
      prompt_tokens;  // including the cached ones, whatever the API's own convention
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t>
      output_tokens;          // of a stream that was cut: the last count told, if any
  bool stream_error = false;  // an error event inside a 200 stream
  // The HTTP status that error stands for; absent where the server does not tell (told_error.h).
  std::optional<int> error_status;
  // The API's own end mark passed ([DONE], message_stop, response.completed, .incomplete or
  // .failed), or the JSON body was whole.
  bool ended = false;
};

// Tap for one response. `event_stream` false: a whole JSON body, of which the usage is read at the
// end (bodies over 1 MiB are not kept and stay unmeasured).
class ResponseTap {
 public:
  ResponseTap(ApiShape shape, bool event_stream);
  ~ResponseTap();
  // Returns true once: when the first content has passed. Content is text, thinking or a tool call;
  // not a role, a ping, message_start or response.created. Of a JSON body it is the first byte.
  bool feed(std::string_view bytes);
  // At the end of the body: reads an event without its last blank line, or the JSON body.
  void finish();
  const TapResult& result() const;
  // True once the engine has read the prompt: an event has passed that it can only send after its
  // queue and the prefill, or a byte of a JSON body. vLLM sends the head of a stream, and
  // response.created and response.in_progress, before it queues the request; pings and errors say
  // nothing either.
  bool prefilled() const;
  // True once an event has passed: later keep-alives must fit a stream under way.
  bool began() const;
  // True between two events, where a keep-alive event or comment may be inserted. Never in a JSON
  // body.
  bool at_event_boundary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Takes the usage chunk out of a chat or completions stream again, where Berth asked for it and the
// client did not: the event whose data has `"choices":[]` and a usage object, up to and with its
// blank line. Everything else passes byte for byte, usage beside choices too.
class UsageChunkFilter {
 public:
  UsageChunkFilter();
  ~UsageChunkFilter();
  // Appends to `out` what may pass now. Holds back at most the bytes of one incomplete event that
  // could still be the usage chunk, and no more than 16 KiB.
  void feed(std::string_view bytes, std::string& out);
  void finish(std::string& out);
  bool removed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inspect
