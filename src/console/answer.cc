#include "console/answer.h"

namespace berth::console {

Answer json_answer(int status, const Json& json) {
  Answer answer;
  answer.status = status;
  answer.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  return answer;
}

Answer error_answer(int status, std::string_view code, std::string_view message) {
  Json error;
  error["code"] = code;
  error["message"] = message;
  Json json;
  json["error"] = std::move(error);
  return json_answer(status, json);
}

void add_security_headers(Answer& answer) {
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Cache-Control", "no-store");
  answer.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; frame-ancestors 'none'");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
}

}  // namespace berth::console
