// Any bytes as a response stream; the first one chooses the API, the second how the bytes are cut.
// What must hold:
//   - tap and filter say the same however the bytes are cut;
//   - the filter passes everything when it removed nothing, and has nothing left to remove in what
//   it passed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "inspect/response_tap.h"

namespace {

using berth::inspect::ApiShape;
using berth::inspect::ResponseTap;
using berth::inspect::TapResult;
using berth::inspect::UsageChunkFilter;

constexpr std::array kShapes{ApiShape::kAnthropic, ApiShape::kOpenAiChat,
                             ApiShape::kOpenAiCompletions, ApiShape::kOpenAiResponses};

// Cuts the bytes into pieces of pseudo-random lengths, or not at all for seed 0. A piece is gone
// after its call, as a read is in the gateway.
template <typename Take>
void cut(std::string_view bytes, std::uint32_t seed, Take take) {
  std::uint32_t state = seed;
  while (!bytes.empty()) {
    state = state * 1664525u + 1013904223u;
    const std::size_t piece = seed == 0 ? bytes.size() : 1 + (state >> 24) % 23;
    take(std::string(bytes.substr(0, piece)));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

struct Heard {
  TapResult result;
  int first_content = 0;
  bool boundary = false;
};

Heard hear(ApiShape shape, bool event_stream, std::string_view bytes, std::uint32_t seed) {
  ResponseTap tap(shape, event_stream);
  Heard heard;
  cut(bytes, seed, [&](std::string_view piece) { heard.first_content += tap.feed(piece) ? 1 : 0; });
  heard.boundary = tap.at_event_boundary();
  tap.finish();
  heard.result = tap.result();
  return heard;
}

void check_same(const Heard& a, const Heard& b) {
  BERTH_CHECK(a.first_content == b.first_content && a.first_content <= 1);
  BERTH_CHECK(a.boundary == b.boundary);
  BERTH_CHECK(a.result.prompt_tokens == b.result.prompt_tokens);
  BERTH_CHECK(a.result.cached_tokens == b.result.cached_tokens);
  BERTH_CHECK(a.result.output_tokens == b.result.output_tokens);
  BERTH_CHECK(a.result.stream_error == b.result.stream_error);
  BERTH_CHECK(a.result.ended == b.result.ended);
}

struct Filtered {
  std::string bytes;
  bool removed = false;
};

Filtered filter(std::string_view bytes, std::uint32_t seed) {
  UsageChunkFilter filter;
  Filtered filtered;
  cut(bytes, seed, [&](std::string_view piece) { filter.feed(piece, filtered.bytes); });
  filter.finish(filtered.bytes);
  filtered.removed = filter.removed();
  return filtered;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const ApiShape shape = kShapes[data[0] % kShapes.size()];
  const bool event_stream = data[0] < 0x80;
  const std::uint32_t seed = data[1] + 1u;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);

  check_same(hear(shape, event_stream, bytes, 0), hear(shape, event_stream, bytes, seed));

  const Filtered whole = filter(bytes, 0);
  const Filtered pieces = filter(bytes, seed);
  BERTH_CHECK(whole.bytes == pieces.bytes && whole.removed == pieces.removed);
  BERTH_CHECK(whole.removed ? whole.bytes.size() < bytes.size() : whole.bytes == bytes);
  BERTH_CHECK(!filter(whole.bytes, 0).removed);
  return 0;
}
