// Listens to a response body as it passes: usage, the first content token, in-stream errors. Copies
// at most one event, changes nothing, and gives the same answer however the bytes are cut into
// reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "inspect/api.h"

namespace berth::inspect {

struct TapResult {
  std::optional<std::uint64_t>
      prompt_tokens;  // including the cached ones, whatever the API's own convention
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> output_tokens;
  bool stream_error = false;  // an error event inside a 200 stream
  bool ended = false;  // the API's own end mark passed ([DONE], message_stop, response.completed)
};

// Tap for one response. `event_stream` false: a whole JSON body, of which the usage is read at the
// end (bodies over 1 MiB are not kept and stay unmeasured).
class ResponseTap {
 public:
  ResponseTap(ApiShape shape, bool event_stream);
  ~ResponseTap();
  // Returns true the first time a content token has passed (not headers, pings or message_start).
  bool feed(std::string_view bytes);
  void finish();
  const TapResult& result() const;
  // True between two events, where a keep-alive event or comment may be inserted.
  bool at_event_boundary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Takes the usage chunk out of a chat or completions stream again, where Berth asked for it and the
// client did not: the chunk with `"choices":[]` and a usage object. Everything else passes byte for
// byte.
class UsageChunkFilter {
 public:
  UsageChunkFilter();
  ~UsageChunkFilter();
  // Appends to `out` what may pass now. Holds back at most the bytes of one incomplete event that
  // could still be the usage chunk.
  void feed(std::string_view bytes, std::string& out);
  void finish(std::string& out);
  bool removed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inspect
