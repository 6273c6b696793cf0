// Any bytes as a request body; the first one chooses the endpoint. What must hold:
//   - nothing is read past the padding;
//   - of valid JSON, model, stream and include_usage are what a whole parser says, and a body is
//   refused only for
//     the types of those;
//   - every edit of an accepted body gives valid JSON that differs in the edited member only.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "inspect/edits.h"
#include "inspect/request_facts.h"

namespace {

using berth::inspect::ApiShape;
using berth::inspect::BodyFacts;
using berth::inspect::Endpoint;
using berth::inspect::find_endpoint;
using berth::inspect::kMaxTextBytes;
using berth::inspect::kPadding;
using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> kPaths{"/v1/messages",    "/v1/chat/completions",
                                                 "/v1/completions", "/v1/responses",
                                                 "/v1/embeddings",  "/v1/messages/count_tokens"};

const Json& member(const Json& object, const char* name) {
  static const Json kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

bool boolean_or_null(const Json& value) { return value.is_null() || value.is_boolean(); }

bool has_options(const Endpoint& endpoint) {
  return endpoint.shape == ApiShape::kOpenAiChat || endpoint.shape == ApiShape::kOpenAiCompletions;
}

// What the header promises to refuse.
bool must_refuse(const Endpoint& endpoint, const Json& root) {
  if (!root.is_object()) return true;
  const Json& model = member(root, "model");
  if (!model.is_null() && !model.is_string()) return true;
  if (model.is_string() && model.get_ref<const std::string&>().size() > kMaxTextBytes) return true;
  if (endpoint.has_conversation && !boolean_or_null(member(root, "stream"))) return true;
  if (!has_options(endpoint)) return false;
  const Json& options = member(root, "stream_options");
  if (!options.is_null() && !options.is_object()) return true;
  return options.is_object() && !boolean_or_null(member(options, "include_usage"));
}

void check_facts(const Endpoint& endpoint, const Json& root, const BodyFacts& facts) {
  const Json& model = member(root, "model");
  BERTH_CHECK(facts.model == (model.is_string() ? model.get<std::string>() : ""));
  if (endpoint.has_conversation) BERTH_CHECK(facts.stream == (member(root, "stream") == true));
  if (has_options(endpoint)) {
    const Json& options = member(root, "stream_options");
    const Json& asked = options.is_object() ? member(options, "include_usage") : Json();
    const auto wanted = asked.is_boolean() ? std::optional(asked.get<bool>()) : std::nullopt;
    BERTH_CHECK(facts.include_usage == wanted);
  }
  BERTH_CHECK(facts.object_empty == root.empty());
}

void check_edits(const Endpoint& endpoint, const Json& root, const BodyFacts& facts,
                 std::string_view body) {
  Json wanted = root;
  wanted["model"] = "new \"model\"";
  wanted["cache_salt"] = "salt";
  std::vector<berth::inspect::Splice> splices{berth::inspect::splice_model(facts, "new \"model\""),
                                              berth::inspect::splice_cache_salt(facts, "salt")};
  if (has_options(endpoint)) {
    if (!wanted["stream_options"].is_object()) wanted["stream_options"] = Json::object();
    wanted["stream_options"]["include_usage"] = true;
    splices.push_back(berth::inspect::splice_include_usage(facts, body));
  }
  BERTH_CHECK(Json::parse(berth::inspect::apply(body, splices), nullptr, false) == wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Endpoint& endpoint = *find_endpoint(kPaths[data[0] % kPaths.size()]);
  const std::size_t length = size - 1;
  // Exactly the padding and no more, so that a sanitizer sees any read past it.
  const auto bytes = std::make_unique<char[]>(length + kPadding);
  std::copy_n(data + 1, length, bytes.get());
  const std::string_view body(bytes.get(), length);

  const auto facts = berth::inspect::read_body_facts(endpoint, body);
  const auto again = berth::inspect::read_body_facts(endpoint, body);
  BERTH_CHECK(facts.has_value() == again.has_value());
  if (facts) BERTH_CHECK(facts->chain == again->chain);

  // A NUL ends the text for the other parser.
  if (body.find('\0') != std::string_view::npos) return 0;
  const Json root = Json::parse(body, nullptr, false);
  if (root.is_discarded()) return 0;
  BERTH_CHECK(facts.has_value() != must_refuse(endpoint, root));
  if (!facts) return 0;
  check_facts(endpoint, root, *facts);
  check_edits(endpoint, root, *facts, body);
  return 0;
}
