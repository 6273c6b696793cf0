// A vLLM server's three pages on loopback, each answered as the test says: for tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "net/types.h"

namespace berth::fleet {

class ScriptedServer {
 public:
  explicit ScriptedServer(net::asio::io_context& io) : io_(io) {}

  // Port 0: a free one, kept when the server is opened again.
  void open() {
    auto opened = http::Server::listen(io_, "127.0.0.1", port_, http::ReaderLimits{},
                                       [this](http::Request& request, http::Responder& responder) {
                                         return answer(this, &request, &responder);
                                       });
    ASSERT_TRUE(opened) << opened.error().message;
    server_ = std::move(*opened);
    port_ = server_->port();
  }
  // Nobody listens any more.
  void close() {
    server_->stop();
    server_.reset();
  }
  std::uint16_t port() const { return port_; }

  // The script.
  int health_status = 200;
  bool health_hangs = false;
  int models_status = 200;
  std::string models =
      R"({"object":"list","data":[{"id":"m","root":"/m","parent":null,"max_model_len":4096}]})";
  int metrics_status = 200;
  std::uint32_t first_rank = 0;
  std::uint32_t ranks = 1;
  std::optional<std::uint32_t> extra_engine;  // one more label on the metrics page
  std::uint64_t prompt_tokens = 1000;         // of each rank
  std::uint64_t work_a_scrape = 0;            // added to prompt_tokens at every scrape
  std::set<std::uint32_t> hung;               // engines whose numbers stand still
  std::set<std::uint32_t> missing;            // engines the metrics page lacks
  std::string more_metrics;                   // appended to the page
  std::uint64_t blocks = 101;                 // of each rank
  bool vllm_metrics = true;
  std::string key;  // wanted for /v1 paths, as vLLM does
  Duration delay{};

  // What was seen.
  std::map<std::string, int> requests;      // by path
  std::map<std::string, int> most_at_once;  // by path
  std::vector<std::string> authorizations;

 private:
  std::string metrics_page() {
    if (!vllm_metrics) return "python_info{} 1\n";
    prompt_tokens += work_a_scrape;
    std::string page;
    for (std::uint32_t i = first_rank; i < first_rank + ranks; ++i) {
      if (missing.contains(i)) continue;
      const std::uint64_t tokens = hung.contains(i) ? 1 : prompt_tokens;
      const std::string labels = "{engine=\"" + std::to_string(i) + "\",model_name=\"m\"} ";
      page += "vllm:num_requests_running" + labels + "1\n";
      page += "vllm:prompt_tokens_total" + labels + std::to_string(tokens) + "\n";
      page += "vllm:cache_config_info{block_size=\"16\",engine=\"" + std::to_string(i) +
              "\",num_gpu_blocks=\"" + std::to_string(blocks * ranks) + "\"} 1\n";
    }
    if (extra_engine) {
      page += "vllm:num_requests_running{engine=\"" + std::to_string(*extra_engine) +
              "\",model_name=\"m\"} 0\n";
    }
    return page + more_metrics;
  }

  static net::Task<void> answer(ScriptedServer* self, http::Request* request,
                                http::Responder* responder) {
    const std::string path(request->head->path());
    const std::string authorization(request->head->headers.get("authorization"));
    ++self->requests[path];
    self->authorizations.push_back(authorization);
    int& at_once = self->at_once_[path];
    self->most_at_once[path] = std::max(self->most_at_once[path], ++at_once);
    co_await self->dally(path == "/health" && self->health_hangs);
    auto [status, body] = self->page(path, authorization);
    --at_once;
    co_await responder->reply(status, "text/plain", std::move(body));
  }

  net::Task<void> dally(bool forever) {
    if (!forever && delay == Duration{}) co_return;
    net::Timer timer(io_);
    timer.expires_after(forever ? Duration(std::chrono::hours(1)) : delay);
    co_await timer.async_wait(net::use_tuple);
  }

  std::pair<int, std::string> page(const std::string& path, const std::string& authorization) {
    if (path == "/health") return {health_status, ""};
    if (path == "/metrics") return {metrics_status, metrics_page()};
    if (path != "/v1/models") return {404, "{}"};
    if (!key.empty() && authorization != "Bearer " + key)
      return {401, R"({"error":"Unauthorized"})"};
    return {models_status, models};
  }

  net::asio::io_context& io_;
  std::uint16_t port_ = 0;
  std::unique_ptr<http::Server> server_;
  std::map<std::string, int> at_once_;
};

}  // namespace berth::fleet
