#include "engine_http/recorder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "engine_http/json.h"

namespace berth::engine_http {
namespace {

template <typename T>
OrderedJson or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

}  // namespace

std::string record_line(const Record& record) {
  OrderedJson line;
  line["method"] = record.method;
  line["target"] = record.target;
  line["headers"] = OrderedJson::array();
  for (const auto& [name, value] : record.headers) {
    line["headers"].push_back(OrderedJson::array({name, value}));
  }
  line["body_bytes"] = record.body_bytes;
  line["body_sha256"] = record.body_sha256;
  line["status"] = record.status;
  line["response_bytes"] = record.response_bytes;
  line["response_sha256"] = record.response_sha256;
  line["rank"] = or_null(record.rank);
  line["prompt_tokens"] = or_null(record.prompt_tokens);
  line["cached_tokens"] = or_null(record.cached_tokens);
  line["output_tokens"] = record.output_tokens;
  line["aborted"] = record.aborted;
  return dump(line) + "\n";
}

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) {
    return fail(ErrorCode::kIo, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  return std::unique_ptr<Recorder>(new Recorder(file));
}

void Recorder::write(const Record& record) {
  const std::string line = record_line(record);
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace berth::engine_http
