// What the admin API answers with, before it becomes bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/json.h"

namespace berth::console {

struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// The document on one line and a newline. Text that is not UTF-8 is replaced, never an error.
Answer json_answer(int status, const Json& json);

// {"error":{"code":...,"message":...}}: `code` is stable and for programs, `message` one sentence
// for people.
Answer error_answer(int status, std::string_view code, std::string_view message);

// On every answer of the admin address: nothing is cached, sniffed, framed or read by another
// origin.
void add_security_headers(Answer& answer);

}  // namespace berth::console
