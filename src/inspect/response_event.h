// What one event of a stream, or one whole JSON response, says: usage, content, an error, the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inspect/api.h"
#include "inspect/usage_reader.h"

namespace berth::inspect {

struct ResponseEvent {
  std::string type;      // the member `type`
  bool content = false;  // a token of text, thought or a tool call
  bool error = false;
  std::optional<int> error_status;  // that `error` stands for, where it is told (told_error.h)
  bool whole = false;               // the text was a whole JSON object
  bool has_usage = false;           // a `usage` object at the root
  bool choices_empty = false;       // "choices": []
  UsageCounts usage;
};

// Reads the JSON text of an event or of a whole response. `scratch` is working memory the caller
// keeps between calls. What is no JSON object says nothing.
ResponseEvent read_response_event(ApiShape shape, std::string_view json, std::string& scratch);

}  // namespace berth::inspect
