#include "inspect/request_facts.h"

#include "inspect/canonical_history.h"
#include "inspect/json_parse.h"
#include "inspect/session_metadata.h"
#include "inspect/side_requests.h"

namespace berth::inspect {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// The JSON form of metadata.user_id holds three ids.
constexpr std::size_t kMaxUserIdBytes = 4096;

// Walks the root object once. Wrong types are kept aside, so that broken JSON is told first and the
// last of two equal members decides.
class FactsReader {
 public:
  FactsReader(const Endpoint& endpoint, std::string_view body)
      : endpoint_(endpoint),
        body_(body),
        history_(endpoint.shape != ApiShape::kAnthropic),
        reads_history_(endpoint.has_conversation || endpoint.shape == ApiShape::kAnthropic) {}

  Result<BodyFacts> read();

 private:
  JsonError walk(std::string_view text);
  JsonError read_member(std::string_view key, JsonValue value);
  JsonError read_history_member(std::string_view key, JsonValue value);
  JsonError read_identity_member(std::string_view key, JsonValue value);
  void read_model(JsonValue value);
  void read_stream(JsonValue value);
  JsonError read_stream_options(JsonValue value);
  void read_include_usage(JsonValue value);
  Range range_of(std::string_view part) const {
    const auto begin = static_cast<std::size_t>(part.data() - body_.data());
    return {begin, begin + part.size()};
  }
  bool has_stream_options() const {
    return endpoint_.shape == ApiShape::kOpenAiChat ||
           endpoint_.shape == ApiShape::kOpenAiCompletions;
  }

  const Endpoint& endpoint_;
  std::string_view body_;
  BodyFacts facts_;
  CanonicalHistory history_;
  bool reads_history_;
  std::string user_id_;
  // What is wrong with the last member of that name, or empty.
  std::string_view wrong_model_;
  std::string_view wrong_stream_;
  std::string_view wrong_options_;
};

std::string bounded(std::string_view text, std::size_t limit = kMaxTextBytes) {
  return text.size() > limit ? std::string() : std::string(text);
}

std::string message_for(JsonError error) {
  switch (error) {
    case simdjson::EMPTY:
      return "the body is empty";
    case simdjson::UTF8_ERROR:
      return "the body is not valid UTF-8";
    case simdjson::UNCLOSED_STRING:
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "the body is not valid JSON: it ends before its root object does";
    case simdjson::INCORRECT_TYPE:
      return "the body must be a JSON object";
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return "the body is too large to be read";
    default:
      return std::string("the body is not valid JSON: ") + simdjson::error_message(error);
  }
}

Result<BodyFacts> FactsReader::read() {
  std::string_view text = body_;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const JsonError error = walk(text)) return fail(ErrorCode::kBadJson, message_for(error));
  for (const std::string_view wrong : {wrong_model_, wrong_stream_, wrong_options_}) {
    if (!wrong.empty()) return fail(ErrorCode::kBadJson, std::string(wrong));
  }
  facts_.metadata_session = bounded(session_of_user_id(user_id_));
  return std::move(facts_);
}

JsonError FactsReader::walk(std::string_view text) {
  JsonParse parse(text);
  JsonObject root;
  if (JsonError error = parse.root_object(root)) return error;
  facts_.object_begin = body_.find('{') + 1;
  facts_.object_empty = true;
  const JsonError error = for_each_member(root, [this](std::string_view key, JsonValue value) {
    facts_.object_empty = false;
    return read_member(key, value);
  });
  if (error) return error;
  if (!parse.at_end()) return simdjson::TRAILING_CONTENT;
  if (reads_history_) {
    facts_.messages = history_.messages();
    facts_.chain = history_.chain();
    facts_.looks_like_side_request =
        looks_like_side_request(history_.opening(), {facts_.max_tokens, facts_.tools});
  }
  return simdjson::SUCCESS;
}

JsonError FactsReader::read_member(std::string_view key, JsonValue value) {
  if (key == "model") {
    read_model(value);
  } else if (key == "stream" && endpoint_.has_conversation) {
    read_stream(value);
  } else if (key == "stream_options" && has_stream_options()) {
    return read_stream_options(value);
  } else if (key == "max_tokens" || key == "max_completion_tokens" || key == "max_output_tokens") {
    std::uint64_t number = 0;
    const char first = first_char(value);
    if (first >= '0' && first <= '9' && !value.get_uint64().get(number)) facts_.max_tokens = number;
  } else if (key == "tools") {
    facts_.tools = 0;
    return for_each_element(value, [this](JsonValue) {
      ++facts_.tools;
      return simdjson::SUCCESS;
    });
  } else if (JsonError error = read_identity_member(key, value)) {
    return error;
  } else if (reads_history_) {
    return read_history_member(key, value);
  }
  return simdjson::SUCCESS;
}

JsonError FactsReader::read_identity_member(std::string_view key, JsonValue value) {
  if (key == "prompt_cache_key") {
    facts_.prompt_cache_key = bounded(text_of(value));
  } else if (key == "metadata") {
    user_id_.clear();
    return for_each_member(value, [this](std::string_view name, JsonValue member) {
      if (name == "user_id") user_id_ = bounded(text_of(member), kMaxUserIdBytes);
      return simdjson::SUCCESS;
    });
  } else if (key == "cache_salt") {
    std::string_view raw;
    if (JsonError error = raw_value(value, raw)) return error;
    facts_.cache_salt_value = range_of(raw);
    facts_.has_cache_salt = raw != "null";
  } else if (key == "previous_response_id" || key == "conversation") {
    if (first_char(value) != 'n') facts_.has_previous_response = true;
  }
  return simdjson::SUCCESS;
}

JsonError FactsReader::read_history_member(std::string_view key, JsonValue value) {
  switch (endpoint_.shape) {
    case ApiShape::kAnthropic:
      if (key == "system") return history_.read_system(value);
      if (key == "messages") return history_.read_messages(value);
      break;
    case ApiShape::kOpenAiChat:
      if (key == "messages") return history_.read_messages(value);
      break;
    case ApiShape::kOpenAiCompletions:
      if (key == "prompt") return history_.read_prompt(value);
      break;
    case ApiShape::kOpenAiResponses:
      if (key == "instructions") return history_.read_system(value);
      if (key == "input") return history_.read_messages(value);
      break;
    case ApiShape::kOpenAiOther:
      break;
  }
  return simdjson::SUCCESS;
}

void FactsReader::read_model(JsonValue value) {
  facts_.model.clear();
  wrong_model_ = {};
  const std::string_view raw = scalar_token(value);
  facts_.model_value = range_of(raw);
  if (raw == "null") return;
  std::string_view name;
  if (first_char(value) != '"' || value.get_string().get(name)) {
    wrong_model_ = "model must be a string";
  } else if (name.size() > kMaxTextBytes) {
    wrong_model_ = "model must be at most 1024 bytes long";
  } else {
    facts_.model = name;
  }
}

void FactsReader::read_stream(JsonValue value) {
  const std::string_view raw = scalar_token(value);
  facts_.stream = raw == "true";
  const bool known = raw == "true" || raw == "false" || raw == "null";
  wrong_stream_ = known ? std::string_view() : "stream must be true or false";
}

JsonError FactsReader::read_stream_options(JsonValue value) {
  facts_.include_usage.reset();
  facts_.include_usage_value.reset();
  facts_.continuous_usage = false;
  facts_.stream_options.reset();
  facts_.stream_options_null.reset();
  wrong_options_ = {};
  if (first_char(value) != '{') {
    const std::string_view raw = scalar_token(value);
    if (raw == "null") {
      facts_.stream_options_null = range_of(raw);
    } else {
      wrong_options_ = "stream_options must be an object";
    }
    return simdjson::SUCCESS;
  }
  JsonObject options;
  std::string_view raw;
  if (JsonError error = value.get_object().get(options)) return error;
  if (JsonError error = options.raw_json().get(raw)) return error;
  facts_.stream_options = range_of(raw.substr(0, raw.rfind('}') + 1));
  if (JsonError error = options.reset().error()) return error;
  return for_each_member(options, [this](std::string_view key, JsonValue member) {
    if (key == "include_usage") read_include_usage(member);
    if (key == "continuous_usage_stats") facts_.continuous_usage = scalar_token(member) == "true";
    return simdjson::SUCCESS;
  });
}

void FactsReader::read_include_usage(JsonValue value) {
  const std::string_view raw = scalar_token(value);
  facts_.include_usage_value = range_of(raw);
  facts_.include_usage.reset();
  wrong_options_ = {};
  if (raw == "true" || raw == "false") {
    facts_.include_usage = raw == "true";
  } else if (raw != "null") {
    wrong_options_ = "stream_options.include_usage must be true or false";
  }
}

}  // namespace

Result<BodyFacts> read_body_facts(const Endpoint& endpoint, std::string_view body) {
  return FactsReader(endpoint, body).read();
}

}  // namespace berth::inspect
