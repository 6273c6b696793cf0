#include "scenario/scripted_server.h"

#include <fmt/format.h>

namespace berth::scenario {

void Wire::reply(int status, const std::string& body, const std::string& extra_headers) {
  send(fmt::format(
      "HTTP/1.1 {} Scripted\r\ncontent-type: application/json\r\n{}content-length: {}\r\n\r\n{}",
      status, extra_headers, body.size(), body));
}

void Wire::begin_stream() {
  send(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: "
      "chunked\r\n\r\n");
}

bool Wire::event(const std::string& text) {
  return send(fmt::format("{:x}\r\n{}\r\n", text.size(), text));
}

ScriptedServer::ScriptedServer(Script script, std::uint32_t ranks, std::string model)
    : script_(std::move(script)),
      ranks_(ranks),
      model_(std::move(model)),
      listener_(BlockingSocket::listen(0, port_)) {
  accepter_ = std::thread([this] {
    while (std::optional<BlockingSocket> socket = listener_.accept()) {
      if (!accepting_) return;
      const std::lock_guard lock(mutex_);
      sockets_.push_back(std::move(*socket));
      threads_.emplace_back([this, mine = &sockets_.back()] { serve(*mine); });
    }
  });
}

ScriptedServer::~ScriptedServer() {
  stop_listening();
  {
    const std::lock_guard lock(mutex_);
    for (BlockingSocket& socket : sockets_) socket.shut_down();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ScriptedServer::stop_listening() {
  listener_.shut_down();
  if (accepter_.joinable()) accepter_.join();
  listener_.close();
}

void ScriptedServer::stop_accepting() {
  accepting_ = false;
  const BlockingSocket wakes_the_accepter = BlockingSocket::connect(port_);
  accepter_.join();
  listener_.set_backlog(0);
  filling_ = BlockingSocket::connect(port_);
}

std::vector<Message> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::serve(BlockingSocket& socket) {
  MessageReader reader(socket);
  Wire wire(socket);
  bool counted = false;
  while (std::optional<Message> request = reader.read_request()) {
    if (answer_fleet(*request, wire)) continue;
    if (!counted) connections_.fetch_add(1);
    counted = true;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
    }
    script_(*request, wire);
    if (!socket.is_open()) return;
  }
  socket.shut_down();
}

bool ScriptedServer::may_enter(const Message& request) const {
  if (request.start_line.find(" /v1/") == std::string::npos) return true;
  const std::lock_guard lock(mutex_);
  return key_.empty() || request.header("authorization") == "Bearer " + key_;
}

bool ScriptedServer::answer_fleet(const Message& request, Wire& wire) {
  const std::string& line = request.start_line;
  if (!may_enter(request)) {
    wire.reply(401, R"({"error":"Unauthorized"})");
    return true;
  }
  if (!line.starts_with("GET ")) return false;
  if (line.find(" /v1/models ") != std::string::npos) {
    wire.reply(200, models());
  } else if (!healthy_) {
    wire.reply(503, "{}");
  } else if (line.find(" /metrics ") != std::string::npos) {
    wire.reply(200, metrics());
  } else {
    wire.reply(200, "{}");
  }
  return true;
}

std::string ScriptedServer::models() const {
  std::string entries = fmt::format(
      R"({{"id":"{}","object":"model","created":1,"owned_by":"vllm","root":"{}","parent":null,)"
      R"("max_model_len":32768}})",
      model_, model_);
  if (!adapter_.empty()) {
    entries += fmt::format(R"(,{{"id":"{}","object":"model","root":"/lora","parent":"{}"}})",
                           adapter_, model_);
  }
  return fmt::format(R"({{"object":"list","data":[{}]}})", entries);
}

std::string ScriptedServer::metrics() const {
  std::string out;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    const std::string labels = fmt::format(R"({{engine="{}",model_name="{}"}})", rank, model_);
    out += fmt::format(
        "vllm:num_requests_running{} 0\nvllm:num_requests_waiting{} 0\nvllm:kv_cache_usage_perc{} "
        "0\n"
        "vllm:prefix_cache_queries_total{} 0\nvllm:prefix_cache_hits_total{} 0\n",
        labels, labels, labels, labels, labels);
    out += fmt::format(
               R"(vllm:cache_config_info{{block_size="16",num_gpu_blocks="{}",engine="{}"}} 1)",
               1001 * ranks_, rank) +
           "\n";
  }
  return out;
}

}  // namespace berth::scenario
