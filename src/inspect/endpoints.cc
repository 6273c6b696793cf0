#include <array>

#include "inspect/api.h"

namespace berth::inspect {
namespace {

// Which of them read X-data-parallel-rank: vLLM's openai/{chat_completion,completion}/serving.py
// and anthropic/serving.py do; openai/responses/serving.py and pooling/base/serving.py do not.
constexpr std::array kEndpoints{
    Endpoint{"/v1/messages", ApiShape::kAnthropic, true, false, false},
    Endpoint{"/v1/messages/count_tokens", ApiShape::kAnthropic, false, true, true},
    Endpoint{"/v1/chat/completions", ApiShape::kOpenAiChat, true, false, false},
    Endpoint{"/v1/completions", ApiShape::kOpenAiCompletions, true, false, false},
    Endpoint{"/v1/responses", ApiShape::kOpenAiResponses, true, true, false},
    Endpoint{"/v1/embeddings", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/v1/rerank", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/v2/rerank", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/rerank", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/v1/score", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/score", ApiShape::kOpenAiOther, false, true, false},
    Endpoint{"/tokenize", ApiShape::kOpenAiOther, false, true, true},
    Endpoint{"/detokenize", ApiShape::kOpenAiOther, false, true, true},
};

}  // namespace

std::string_view api_shape_name(ApiShape shape) {
  switch (shape) {
    case ApiShape::kAnthropic:
      return "messages";
    case ApiShape::kOpenAiChat:
      return "chat";
    case ApiShape::kOpenAiCompletions:
      return "completions";
    case ApiShape::kOpenAiResponses:
      return "responses";
    case ApiShape::kOpenAiOther:
      return "other";
  }
  return "other";
}

const Endpoint* find_endpoint(std::string_view path) {
  for (const Endpoint& endpoint : kEndpoints) {
    if (endpoint.path == path) return &endpoint;
  }
  return nullptr;
}

}  // namespace berth::inspect
