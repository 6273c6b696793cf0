// One call from the command line to the admin API of a running Berth.
#pragma once

#include <string>

#include "base/result.h"

namespace berth::cli {

inline constexpr const char* kDefaultAdminUrl = "http://127.0.0.1:9090";

struct AdminCall {
  std::string url;  // of the admin address
  std::string method = "GET";
  std::string path;
  std::string body;   // JSON; empty: none
  std::string token;  // empty: none sent
};

struct AdminReply {
  int status = 0;
  std::string body;
};

// Blocks. An error is a sentence that names the URL and says what to look at.
Result<AdminReply> call_admin(const AdminCall& call);

// The sentence of an error answer, or its status when the body holds none.
std::string error_sentence(const AdminReply& reply);

}  // namespace berth::cli
