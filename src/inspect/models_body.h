// The body of GET /v1/models: every model Berth serves, in one list that both kinds of client read.
//
// The OpenAI SDKs read `object` and `data[].{id,object,created,owned_by}`; Claude Code's discovery
// and the Anthropic SDKs read `data[].{id,type,display_name,created_at}` and the page members.
// `max_model_len` is vLLM's own; some agents take their context window from it. `root` names the
// model an alias stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::inspect {

struct ServedModel {
  std::string id;
  std::vector<std::string> aliases;  // each becomes an entry of its own after the model's
  std::int64_t created = 0;          // Unix seconds
  std::string owned_by = "vllm";
  std::optional<std::uint64_t> max_model_len;
};

std::string models_body(const std::vector<ServedModel>& models);

}  // namespace berth::inspect
