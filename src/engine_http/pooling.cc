// Embeddings, rerank and score: the prompt goes through the model, the numbers are made up from its
// hash.
//
// Source: vllm/entrypoints/pooling. The rank header is not read there.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "engine/block_hash.h"
#include "engine_http/answer.h"
#include "engine_http/flight.h"
#include "engine_http/handlers.h"
#include "engine_http/model_request.h"
#include "engine_http/read_fields.h"
#include "engine_http/watched_responder.h"

namespace berth::engine_http {
namespace {

constexpr std::uint64_t kDimensions = 64;
constexpr std::uint64_t kMostDimensions = 8192;
constexpr std::size_t kMostInputs = 2048;  // of one request, as OpenAI's API has it

// A request that is over once its prompt is computed.
struct Pooling {
  std::string model;
  std::vector<std::vector<Token>> inputs;
  Json body;
};

std::vector<Token> text_tokens(std::string_view text) {
  std::vector<Token> tokens;
  append_text(tokens, text);
  return tokens;
}

std::uint64_t seed_of(const std::vector<Token>& tokens) {
  return engine::hash_block(engine::root_hash(0), tokens);
}

ApiResult<Pooling> read_pooling(const Call& call) {
  ApiResult<Json> body = read_body(call);
  if (!body) return tl::unexpected<ApiError>(body.error());
  Pooling out{.model = string_member(*body, "model"), .inputs = {}, .body = std::move(*body)};
  if (const auto known = check_model(call, out.model); !known) {
    return tl::unexpected<ApiError>(known.error());
  }
  return out;
}

// Texts of a string, a list of strings, or a list of parts.
std::vector<std::string> texts_of(const Json* value) {
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (!value->is_array()) return {text_of(value)};
  for (const Json& item : *value) {
    texts.push_back(item.is_object() && item.contains("text") ? string_member(item, "text")
                                                              : text_of(&item));
  }
  return texts;
}

std::uint64_t total_tokens(const Pooling& pooling) {
  std::uint64_t total = 0;
  for (const std::vector<Token>& input : pooling.inputs) total += input.size();
  return total;
}

OrderedJson pooling_usage(const Pooling& pooling) {
  OrderedJson usage;
  usage["prompt_tokens"] = total_tokens(pooling);
  usage["total_tokens"] = total_tokens(pooling);
  usage["completion_tokens"] = 0;
  usage["prompt_tokens_details"] = nullptr;
  return usage;
}

net::Task<void> refuse_inputs(Call& call) {
  ApiError error{400, "BadRequestError",
                 fmt::format("At most {} inputs are taken in one request.", kMostInputs), "",
                 false};
  co_await answer_error(call, ErrorShape::kOpenAi, std::move(error));
}

// Computes the inputs as one prompt. False when an answer has been given or the client is gone.
net::Task<bool> compute(Call& call, const Pooling& pooling) {
  if (pooling.inputs.size() > kMostInputs) {
    co_await refuse_inputs(call);
    co_return false;
  }
  std::vector<Token> prompt;
  for (const std::vector<Token>& input : pooling.inputs) {
    prompt.insert(prompt.end(), input.begin(), input.end());
    prompt.push_back(mark_token(Mark::kEnd));
  }
  engine::EngineRequest request =
      model_request(std::move(prompt), {}, 0, call.core->options.spec.block_size);
  Flight flight(call);
  if (const Result<void> started = flight.start(std::move(request)); !started) {
    ApiError error{400, "BadRequestError", started.error().message, "", false};
    co_await answer_error(call, ErrorShape::kOpenAi, std::move(error));
    co_return false;
  }
  const std::vector<engine::Event> events = co_await flight.events();
  if (events.empty()) co_return false;
  call.core->metrics.on_end(*call.record->rank, Finish::kStop, 0);
  co_return true;
}

std::vector<float> embedding(const std::vector<Token>& tokens, std::uint64_t dimensions) {
  std::mt19937_64 random(seed_of(tokens));
  std::vector<float> out(dimensions);
  for (float& value : out) {
    value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0);
  }
  return out;
}

std::string base64(const std::vector<float>& values) {
  std::string out((values.size() * sizeof(float) + 2) / 3 * 4 + 1, '\0');
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

double relevance(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::mt19937_64 random(seed_of(a) ^ (seed_of(b) << 1));
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

std::string embeddings_body(Call& call, const Pooling& pooling, std::uint64_t dimensions) {
  const bool as_base64 = string_member(pooling.body, "encoding_format") == "base64";
  OrderedJson body;
  body["id"] = call.core->new_id("embd-");
  body["object"] = "list";
  body["created"] = call.core->started_at;
  body["model"] = call.core->options.models.front();
  body["data"] = OrderedJson::array();
  for (std::size_t i = 0; i < pooling.inputs.size(); ++i) {
    const std::vector<float> values = embedding(pooling.inputs[i], dimensions);
    OrderedJson item{{"index", i}, {"object", "embedding"}};
    item["embedding"] = as_base64 ? OrderedJson(base64(values)) : OrderedJson(values);
    body["data"].push_back(std::move(item));
  }
  body["usage"] = pooling_usage(pooling);
  return dump(body);
}

// The first input is the query, the others are documents.
std::string rerank_body(Call& call, const Pooling& pooling,
                        const std::vector<std::string>& documents) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    order.emplace_back(relevance(pooling.inputs[0], pooling.inputs[i + 1]), i);
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  if (const Json* top = member(pooling.body, "top_n");
      top != nullptr && top->is_number_unsigned() && top->get<std::uint64_t>() > 0) {
    order.resize(std::min<std::size_t>(order.size(), top->get<std::uint64_t>()));
  }
  OrderedJson body;
  body["id"] = call.core->new_id("score-");
  body["model"] = call.core->options.models.front();
  body["usage"] = {{"prompt_tokens", total_tokens(pooling)},
                   {"total_tokens", total_tokens(pooling)}};
  body["results"] = OrderedJson::array();
  for (const auto& [score, index] : order) {
    OrderedJson result{{"index", index}};
    result["document"]["text"] = documents[index];
    result["relevance_score"] = score;
    body["results"].push_back(std::move(result));
  }
  return dump(body);
}

// A query against every document; `queries` is one text, or as many as documents.
std::string score_body(Call& call, const Pooling& pooling, std::size_t queries) {
  OrderedJson body;
  body["id"] = call.core->new_id("score-");
  body["object"] = "list";
  body["created"] = call.core->started_at;
  body["model"] = call.core->options.models.front();
  body["data"] = OrderedJson::array();
  for (std::size_t i = queries; i < pooling.inputs.size(); ++i) {
    const std::size_t query = queries == 1 ? 0 : i - queries;
    body["data"].push_back({{"index", i - queries},
                            {"object", "score"},
                            {"score", relevance(pooling.inputs[query], pooling.inputs[i])}});
  }
  body["usage"] = pooling_usage(pooling);
  return dump(body);
}

ApiResult<void> read_embedding_inputs(Pooling& pooling) {
  const Json* input = member(pooling.body, "input");
  if (input == nullptr) return invalid_field("missing", "input", "Field required");
  for (const std::string& text : texts_of(input)) pooling.inputs.push_back(text_tokens(text));
  if (pooling.inputs.empty()) return bad_request("The input is empty.", "input");
  return {};
}

}  // namespace

net::Task<void> handle_embeddings(Call& call) {
  ApiResult<Pooling> pooling = read_pooling(call);
  ApiResult<void> inputs = pooling ? read_embedding_inputs(*pooling)
                                   : ApiResult<void>(tl::unexpected<ApiError>(pooling.error()));
  if (!inputs) {
    co_await answer_error(call, ErrorShape::kOpenAi, std::move(inputs.error()));
    co_return;
  }
  const auto dimensions = read_count(pooling->body, "dimensions");
  if (!dimensions) {
    co_await answer_error(call, ErrorShape::kOpenAi, dimensions.error());
    co_return;
  }
  if (!co_await compute(call, *pooling)) co_return;
  const std::uint64_t size = std::min(dimensions->value_or(kDimensions), kMostDimensions);
  co_await answer_json(call, 200, embeddings_body(call, *pooling, size));
}

net::Task<void> handle_rerank(Call& call) {
  ApiResult<Pooling> pooling = read_pooling(call);
  std::vector<std::string> documents;
  if (pooling) documents = texts_of(member(pooling->body, "documents"));
  if (pooling && (member(pooling->body, "query") == nullptr || documents.empty())) {
    pooling = invalid_field("missing", "query", "Field required");
  }
  if (!pooling) {
    co_await answer_error(call, ErrorShape::kOpenAi, std::move(pooling.error()));
    co_return;
  }
  pooling->inputs.push_back(text_tokens(text_of(member(pooling->body, "query"))));
  for (const std::string& text : documents) pooling->inputs.push_back(text_tokens(text));
  if (!co_await compute(call, *pooling)) co_return;
  co_await answer_json(call, 200, rerank_body(call, *pooling, documents));
}

net::Task<void> handle_score(Call& call) {
  ApiResult<Pooling> pooling = read_pooling(call);
  std::size_t queries = 0;
  if (pooling) {
    std::vector<std::string> first = texts_of(member(pooling->body, "text_1"));
    if (first.empty()) first = texts_of(member(pooling->body, "queries"));
    std::vector<std::string> second = texts_of(member(pooling->body, "text_2"));
    if (second.empty()) second = texts_of(member(pooling->body, "documents"));
    queries = first.size();
    for (const auto* side : {&first, &second}) {
      for (const std::string& text : *side) pooling->inputs.push_back(text_tokens(text));
    }
    if (second.empty() || (queries != 1 && queries != second.size())) {
      pooling = bad_request("Input lengths must be either 1:1, 1:N or N:N");
    }
  }
  if (!pooling) {
    co_await answer_error(call, ErrorShape::kOpenAi, std::move(pooling.error()));
    co_return;
  }
  if (!co_await compute(call, *pooling)) co_return;
  co_await answer_json(call, 200, score_body(call, *pooling, queries));
}

}  // namespace berth::engine_http
