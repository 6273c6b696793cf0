#include "scenario/raw_client.h"

#include <fmt/format.h>

namespace berth::scenario {

void RawClient::post(const std::string& target, const std::string& body,
                     const HeaderList& headers) {
  std::string text =
      fmt::format("POST {} HTTP/1.1\r\nHost: berth\r\nContent-Type: application/json\r\n", target);
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  text += fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
  send(text);
}

Message RawClient::ask(const std::string& target, const std::string& body,
                       const HeaderList& headers) {
  post(target, body, headers);
  return response().value_or(Message{});
}

std::string messages_body(const std::string& text, bool stream, const std::string& model) {
  return fmt::format(R"({{"model":"{}","max_tokens":64,"stream":{},"system":"You are an agent.",)"
                     R"("messages":[{{"role":"user","content":"{}"}}]}})",
                     model, stream, text);
}

HeaderList claude(const std::string& session, const std::string& agent) {
  HeaderList headers{{"x-claude-code-session-id", session}};
  if (!agent.empty()) headers.emplace_back("x-claude-code-agent-id", agent);
  return headers;
}

}  // namespace berth::scenario
