// A vLLM server whose every answer a test writes: discovery, health and metrics are answered for
// it, each inference request goes to the script.
//
// A thread a connection, blocking sockets: a script reads as it happens. The script runs on those
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "scenario/blocking_socket.h"
#include "scenario/message.h"

namespace berth::scenario {

// What a script may do with the connection its request came on.
class Wire {
 public:
  explicit Wire(BlockingSocket& socket) : socket_(socket) {}
  bool send(std::string_view bytes) { return socket_.send(bytes); }
  // A whole JSON response.
  void reply(int status, const std::string& body, const std::string& extra_headers = "");
  // The head of an event stream, chunked; then events; then the end.
  void begin_stream();
  bool event(const std::string& text);  // false: the gateway has left
  void end_stream() { send("0\r\n\r\n"); }
  void close() { socket_.close(); }
  void reset() { socket_.reset(); }
  // Waits until the gateway closed the connection.
  bool gateway_left() { return socket_.peer_left(); }

 private:
  BlockingSocket& socket_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(const Message& request, Wire& wire)>;

  // `ranks` > 1: its metrics show that many engines.
  explicit ScriptedServer(Script script, std::uint32_t ranks = 1, std::string model = "m");
  ~ScriptedServer();

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Inference requests seen so far, in order of arrival.
  std::vector<Message> requests() const;
  std::size_t connections() const {
    return connections_.load();
  }  // that carried an inference request
  // Stops accepting, as a server that died does: the port refuses.
  void stop_listening();
  // Takes no further connection and refuses none: who connects waits, as for a machine that does
  // not answer.
  void stop_accepting();
  // Health and metrics answer 503 from now on.
  void set_healthy(bool healthy) { healthy_ = healthy; }
  // A LoRA adapter of the model is loaded: call before the gateway starts.
  void load_adapter(std::string name) { adapter_ = std::move(name); }
  // vLLM's --api-key: /v1/models and inference need it, from now on.
  void require_key(std::string key) {
    const std::lock_guard lock(mutex_);
    key_ = std::move(key);
  }

 private:
  void serve(BlockingSocket& socket);
  bool may_enter(const Message& request) const;
  bool answer_fleet(const Message& request, Wire& wire);
  std::string models() const;
  std::string metrics() const;

  Script script_;
  const std::uint32_t ranks_;
  const std::string model_;
  std::string adapter_;
  std::string key_;
  std::uint16_t port_ = 0;
  BlockingSocket listener_;
  std::atomic<bool> healthy_{true};
  std::atomic<bool> accepting_{true};
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex mutex_;
  std::vector<Message> requests_;
  std::list<BlockingSocket> sockets_;
  BlockingSocket filling_;  // the backlog of a listener that does not accept
  std::list<std::thread> threads_;
  std::thread accepter_;
};

}  // namespace berth::scenario
