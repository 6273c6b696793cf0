// Any bytes as text of a log line. What must hold: the JSON is valid, is one line, gives back the
// text where that was clean, and holds no control character.
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "observe/access_log.h"
#include "observe/text.h"

namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kMost = 256;
  const std::string clean = berth::observe::valid_utf8(bytes, kMost);
  BERTH_CHECK(clean.size() <= 3 * kMost + 3);
  BERTH_CHECK(simdjson::validate_utf8(clean));

  berth::observe::AccessRecord record;
  record.id = bytes;
  record.path = bytes;
  record.edits = {std::string(bytes)};
  const std::string line = berth::observe::to_json(record);
  BERTH_CHECK(std::none_of(line.begin(), line.end(), is_control));
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  const simdjson::padded_string padded(line);
  BERTH_CHECK(parser.parse(padded).get(json) == simdjson::SUCCESS);
  if (bytes.empty()) return 0;
  std::string_view id;
  BERTH_CHECK(json["id"].get(id) == simdjson::SUCCESS);
  BERTH_CHECK(id == clean);

  const std::string plain = berth::observe::printable(bytes, kMost);
  BERTH_CHECK(std::none_of(plain.begin(), plain.end(), is_control));
  return 0;
}
