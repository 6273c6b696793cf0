#include "inspect/response_event.h"

#include "inspect/told_error.h"

namespace berth::inspect {
namespace {

// A string with something in it, or a list or object that is not empty.
bool says_something(JsonValue value) {
  switch (first_char(value)) {
    case '"':
      return scalar_token(value) != "\"\"";
    case '[':
    case '{': {
      std::string_view raw;
      return !raw_value(value, raw) && raw.find_first_not_of("[]{} \t\r\n") != raw.npos;
    }
    default:
      return false;
  }
}

bool is_content_member(std::string_view key) {
  return key == "content" || key == "text" || key == "reasoning_content" || key == "reasoning" ||
         key == "refusal" || key == "tool_calls" || key == "function_call" || key == "thinking" ||
         key == "partial_json";
}

// Reads the root's members.
class EventReader {
 public:
  EventReader(ApiShape shape, ResponseEvent& event) : shape_(shape), event_(event) {}

  JsonError read(std::string_view key, JsonValue value);
  void judge_type();

 private:
  JsonError read_choices(JsonValue value);
  JsonError read_error(JsonValue value);
  JsonError read_nested(JsonValue value);
  JsonError read_content_members(JsonValue value, bool& found);

  ApiShape shape_;
  ResponseEvent& event_;
  bool delta_ = false;  // `delta` says something
  bool block_ = false;  // so does `content_block`
  std::string block_type_;
  ToldError told_;
};

JsonError EventReader::read(std::string_view key, JsonValue value) {
  if (key == "type") {
    event_.type = text_of(value);
  } else if (key == "usage") {
    event_.has_usage = first_char(value) == '{';
    return read_usage(value, event_.usage);
  } else if (key == "error") {
    event_.error = first_char(value) != 'n';
    return read_error(value);
  } else if (key == "object") {
    if (text_of(value) == "error") event_.error = true;
  } else if (key == "code") {
    return told_.take(key, value);
  } else if (key == "choices") {
    return read_choices(value);
  } else if (key == "message" || key == "response") {
    return read_nested(value);
  } else if (key == "delta") {
    if (first_char(value) == '{') return read_content_members(value, delta_);
    delta_ = says_something(value);
  } else if (key == "content_block") {
    return for_each_member(value, [this](std::string_view name, JsonValue member) {
      if (name == "type") {
        block_type_ = text_of(member);
      } else if (is_content_member(name) && says_something(member)) {
        block_ = true;
      }
      return simdjson::SUCCESS;
    });
  }
  return simdjson::SUCCESS;
}

JsonError EventReader::read_choices(JsonValue value) {
  event_.choices_empty = first_char(value) == '[';
  return for_each_element(value, [this](JsonValue choice) {
    event_.choices_empty = false;
    return for_each_member(choice, [this](std::string_view name, JsonValue member) -> JsonError {
      if (name == "delta") return read_content_members(member, event_.content);
      if (name == "text" && says_something(member)) event_.content = true;
      return simdjson::SUCCESS;
    });
  });
}

JsonError EventReader::read_error(JsonValue value) {
  return for_each_member(
      value, [this](std::string_view name, JsonValue member) { return told_.take(name, member); });
}

// The `message` of message_start and the `response` of response.completed carry the usage, that of
// response.failed the error.
JsonError EventReader::read_nested(JsonValue value) {
  return for_each_member(value, [this](std::string_view name, JsonValue member) {
    if (name == "error") return read_error(member);
    return name == "usage" ? read_usage(member, event_.usage) : simdjson::SUCCESS;
  });
}

JsonError EventReader::read_content_members(JsonValue value, bool& found) {
  return for_each_member(value, [&](std::string_view name, JsonValue member) {
    if (is_content_member(name) && says_something(member)) found = true;
    return simdjson::SUCCESS;
  });
}

void EventReader::judge_type() {
  const std::string_view type = event_.type;
  if (shape_ == ApiShape::kAnthropic) {
    // A tool call begins with its name; its first piece of arguments is often empty.
    const bool starts = block_ || std::string_view(block_type_).ends_with("tool_use");
    event_.content =
        (type == "content_block_delta" && delta_) || (type == "content_block_start" && starts);
    event_.error = event_.error || type == "error";
    // The count of message_start is where the stream begins, not what it will hold.
    if (type == "message_start") event_.usage.output.reset();
  } else if (shape_ == ApiShape::kOpenAiResponses) {
    event_.content = (type.ends_with(".delta") && delta_) || type == "response.output_item.done";
    event_.error = event_.error || type == "error" || type == "response.failed";
  }
  if (event_.error) event_.error_status = told_.status();
}

}  // namespace

ResponseEvent read_response_event(ApiShape shape, std::string_view json, std::string& scratch) {
  scratch.clear();
  scratch.reserve(json.size() + kPadding);
  scratch.append(json);
  ResponseEvent event;
  JsonParse parse(scratch);
  JsonObject root;
  if (parse.root_object(root)) return event;
  EventReader reader(shape, event);
  const JsonError error = for_each_member(
      root, [&](std::string_view key, JsonValue value) { return reader.read(key, value); });
  if (error || !parse.at_end()) return {};
  reader.judge_type();
  event.whole = true;
  return event;
}

}  // namespace berth::inspect
