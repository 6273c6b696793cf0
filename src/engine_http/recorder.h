// --record: one JSON line for every finished request, as proof of which bytes came and went.
//
// The file holds headers as they came, credentials included: it is for tests.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::engine_http {

// What became of one request.
struct Record {
  std::string method;
  std::string target;                                        // path and query
  std::vector<std::pair<std::string, std::string>> headers;  // spelling and order as received
  std::uint64_t body_bytes = 0;
  std::string body_sha256;
  int status = 0;                    // 0: nothing was answered
  std::uint64_t response_bytes = 0;  // of the body as sent, without chunk framing
  std::string response_sha256;
  std::optional<std::uint32_t> rank;
  std::optional<std::uint64_t> prompt_tokens;
  std::optional<std::uint64_t> cached_tokens;
  std::uint64_t output_tokens = 0;
  bool aborted = false;  // the client left, or the connection was dropped on purpose
};

// Thread: the io_context's.
class Recorder {
 public:
  // Appends to the file. Errors (kIo) name it.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path);
  // Writes the line and flushes it.
  void write(const Record& record);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Recorder(std::FILE* file) : file_(file) {}
  std::unique_ptr<std::FILE, Close> file_;
};

std::string record_line(const Record& record);

}  // namespace berth::engine_http
