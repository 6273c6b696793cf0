// The answers Berth gives itself: the model list, the probes clients warm a connection with, and a
// refusal for everything that is not on the list of endpoints (inspect/api.h).
//
// vLLM's own --api-key leaves endpoints open that change the engine's state, so nothing is passed
// on by default.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "gateway/client_auth.h"
#include "gateway/client_writer.h"
#include "gateway/model_table.h"
#include "http/head.h"

namespace berth::gateway {

struct LocalAnswer {
  int status = 404;
  std::string content_type = "application/json";
  std::string body;
  ExtraHeaders headers;
  std::optional<ErrorCode> error;  // none: a success
};

// Pure but for the reads of the model table.
// `started` dates the listed models.
LocalAnswer local_answer(const http::RequestHead& head, const ClientAuth& auth,
                         const ModelTable& models, WallTime started);

}  // namespace berth::gateway
