// For tests: one simulated server on loopback, and requests to it, on one event loop.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine_http/engine_server.h"
#include "engine_http/json.h"
#include "http/client.h"
#include "http/exchange.h"
#include "net/run_task.h"

namespace berth::engine_http {

class EngineFixture : public ::testing::Test {
 protected:
  static constexpr const char* kModel = "test/model";

  // Fast: a step takes microseconds.
  EngineFixture() {
    options_.models = {kModel, "alias"};
    options_.time_scale = 2'000;
  }

  void start() {
    auto server = EngineServer::start(io_, "127.0.0.1", 0, options_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    url_.host = "127.0.0.1";
    url_.port = server_->port();
  }

  // Steps take minutes: nothing happens by itself while a test looks.
  void start_slow() {
    options_.time_scale = 0.001;
    start();
  }

  static http::ClientRequest post(std::string path, const Json& body) {
    http::ClientRequest request;
    request.method = "POST";
    request.path = std::move(path);
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body.dump();
    request.timeout = std::chrono::seconds(60);
    return request;
  }

  Result<http::ClientResponse> try_fetch(http::ClientRequest request) {
    return net::run_task(io_, http::fetch(url_, std::move(request), nullptr));
  }
  http::ClientResponse fetch(http::ClientRequest request) {
    auto response = try_fetch(std::move(request));
    EXPECT_TRUE(response) << response.error().message;
    return response ? std::move(*response) : http::ClientResponse{};
  }
  http::ClientResponse get(std::string path) {
    http::ClientRequest request;
    request.path = std::move(path);
    return fetch(std::move(request));
  }

  // A request whose response's head has come.
  std::unique_ptr<http::Exchange> begin(http::ClientRequest request) {
    auto exchange = net::run_task(io_, http::Exchange::begin(url_, std::move(request), nullptr));
    EXPECT_TRUE(exchange) << exchange.error().message;
    return exchange ? std::move(*exchange) : nullptr;
  }

  // Runs the loop until it holds.
  void run_until(const std::function<bool()>& holds) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    io_.restart();
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "it never came to hold";
      io_.run_one_for(std::chrono::seconds(1));
    }
  }

  net::asio::io_context io_{1};
  EngineOptions options_;
  std::unique_ptr<EngineServer> server_;
  http::Url url_;
};

}  // namespace berth::engine_http
