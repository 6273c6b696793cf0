#include "inspect/models_body.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "inspect/json_text.h"

namespace berth::inspect {
namespace {

// RFC 3339, which `created_at` of the Anthropic API is. Years no calendar of theirs holds become
// 1970.
std::string rfc3339(std::int64_t seconds) {
  constexpr std::int64_t kYear9999 = 253402300799;
  const std::int64_t shown = seconds < 0 || seconds > kYear9999 ? 0 : seconds;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(shown)));
}

std::string entry(const ServedModel& model, std::string_view id) {
  const std::string length = model.max_model_len ? fmt::format("{}", *model.max_model_len) : "null";
  return fmt::format(
      R"({{"id":{0},"object":"model","created":{1},"owned_by":{2},"root":{3},"parent":null,)"
      R"("max_model_len":{4},"type":"model","display_name":{0},"created_at":"{5}"}})",
      json_string(id), model.created, json_string(model.owned_by), json_string(model.id), length,
      rfc3339(model.created));
}

std::string id_or_null(const std::string* id) { return id ? json_string(*id) : "null"; }

}  // namespace

std::string models_body(const std::vector<ServedModel>& models) {
  std::string data;
  const std::string* first = nullptr;
  const std::string* last = nullptr;
  const auto add = [&](const ServedModel& model, const std::string& id) {
    if (first) data += ',';
    data += entry(model, id);
    if (!first) first = &id;
    last = &id;
  };
  for (const ServedModel& model : models) {
    add(model, model.id);
    for (const std::string& alias : model.aliases) add(model, alias);
  }
  return fmt::format(
      R"({{"object":"list","data":[{}],"has_more":false,"first_id":{},"last_id":{}}})", data,
      id_or_null(first), id_or_null(last));
}

}  // namespace berth::inspect
