// Mooncake's JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/file_text.h"
#include "sim/json_fields.h"
#include "sim/trace.h"

namespace berth::sim {
namespace {

constexpr std::uint32_t kMooncakeBlock = 512;

Result<ConversationPlan> request_of(std::string_view line, const std::string& place) {
  const auto object = parse_object(line, place);
  if (!object) return tl::unexpected<Error>(object.error());
  const JsonFields fields(*object, place);
  const auto prompt = fields.tokens("input_length");
  if (!prompt) return tl::unexpected<Error>(prompt.error());
  const auto output = fields.tokens("output_length");
  if (!output) return tl::unexpected<Error>(output.error());
  auto ids = fields.ids("hash_ids");
  if (!ids) return tl::unexpected<Error>(ids.error());
  if (*prompt == 0) return fields.wrong("input_length", "a prompt has at least one token");
  const std::uint64_t blocks = (*prompt + kMooncakeBlock - 1) / kMooncakeBlock;
  if (ids->size() != blocks) {
    return fields.wrong(
        "hash_ids", fmt::format("{} ids for {} tokens; one for each 512 would be {}", ids->size(),
                                *prompt, blocks));
  }
  TurnPlan turn;
  turn.prompt_tokens = *prompt;
  turn.output_tokens = std::max(1U, *output);
  ConversationPlan plan;
  plan.named = false;
  plan.content = std::move(*ids);
  plan.content_tokens = kMooncakeBlock;
  plan.turns.push_back(std::move(turn));
  return plan;
}

}  // namespace

Result<Conversations> read_mooncake(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected<Error>(text.error());
  Conversations out;
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    auto request = request_of(line, fmt::format("{}:{}", path, number));
    if (!request) return tl::unexpected<Error>(std::move(request.error()));
    out.push_back(std::move(*request));
  }
  if (out.empty()) {
    return fail(ErrorCode::kConfig, fmt::format("{}: there is no request in it", path));
  }
  return out;
}

}  // namespace berth::sim
