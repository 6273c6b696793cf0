#include "fleet/models_list.h"

#include <simdjson.h>

namespace berth::fleet {
namespace {

constexpr std::size_t kMaxModels = 1024;
constexpr std::size_t kMaxName = 1024;

// The member's text; empty when it is missing, null, no string or too long to be a name.
std::string text_member(const simdjson::dom::object& object, std::string_view key) {
  std::string_view value;
  if (object[key].get(value) != simdjson::SUCCESS || value.size() > kMaxName) return {};
  return std::string(value);
}

std::uint64_t number_member(const simdjson::dom::object& object, std::string_view key) {
  std::uint64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? value : 0;
}

}  // namespace

Result<std::vector<ListedModel>> parse_models_list(std::string_view body) {
  const auto not_a_list = [] {
    return fail(
        ErrorCode::kUpstreamBadResponse,
        "the answer is not a model list (is this the address of a vLLM server, without /v1?)");
  };
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const simdjson::padded_string padded(body);
  if (parser.parse(padded).get(root) != simdjson::SUCCESS) return not_a_list();
  simdjson::dom::array data;
  if (root["data"].get(data) != simdjson::SUCCESS) return not_a_list();
  std::vector<ListedModel> models;
  for (const simdjson::dom::element entry : data) {
    simdjson::dom::object object;
    if (entry.get(object) != simdjson::SUCCESS || models.size() >= kMaxModels) continue;
    ListedModel model{text_member(object, "id"), text_member(object, "parent"),
                      text_member(object, "root"), number_member(object, "max_model_len")};
    if (!model.id.empty()) models.push_back(std::move(model));
  }
  return models;
}

}  // namespace berth::fleet
