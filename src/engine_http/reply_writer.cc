#include "engine_http/reply_writer.h"

#include <utility>

#include "base/check.h"

namespace berth::engine_http {

std::unique_ptr<ReplyWriter> make_writer(const GenerateRequest& request, const Reply& reply,
                                         ReplyIdentity identity) {
  switch (request.api) {
    case Api::kMessages:
      return make_messages_writer(reply, std::move(identity));
    case Api::kChat:
      return make_chat_writer(request, reply, std::move(identity));
    case Api::kCompletions:
      return make_completions_writer(request, reply, std::move(identity));
    case Api::kResponses:
      return make_responses_writer(request, reply, std::move(identity));
  }
  BERTH_CHECK(false);
}

std::string_view id_prefix(Api api) {
  switch (api) {
    case Api::kCompletions:
      return "cmpl-";
    case Api::kResponses:
      return "resp_";
    case Api::kMessages:
    case Api::kChat:
      break;
  }
  return "chatcmpl-";
}

}  // namespace berth::engine_http
