// What Berth says when it refuses: in which shape, with which advice, and when to come back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/model_table.h"
#include "inspect/api.h"

namespace berth::gateway {

// The error shape for a path Berth does not serve: Anthropic's under /v1/messages, else OpenAI's.
inspect::ApiShape shape_of_unknown_path(std::string_view path);

// kUnknownModel with the names that are served, or kNoReplica when no server has been discovered at
// all.
tl::unexpected<Error> unknown_model(std::string_view asked, const ModelTable& models);

// Whole seconds after which the same request may work; nothing where retrying does not help. At
// most 60: Claude Code stops retrying beyond that.
std::optional<std::uint32_t> retry_after_of(ErrorCode code);

}  // namespace berth::gateway
