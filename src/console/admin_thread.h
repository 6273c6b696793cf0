// An AdminServer on a free loopback port and its own thread. For the tests of src/console and
// src/cli only.
#pragma once

#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <thread>

#include "base/check.h"
#include "console/admin_server.h"

namespace berth::console {

class AdminThread {
 public:
  AdminThread(observe::StatusSource& source, const Clock& clock, std::string token = {}) {
    AdminOptions options;
    options.port = 0;
    options.token = std::move(token);
    auto server = AdminServer::start(io_, options, source, clock);
    BERTH_CHECK(server.has_value());
    server_ = std::move(*server);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~AdminThread() {
    net::asio::post(io_, [this] { server_->stop(); });
    thread_.join();
  }
  AdminThread(const AdminThread&) = delete;
  AdminThread& operator=(const AdminThread&) = delete;

  std::uint16_t port() const { return server_->port(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }

 private:
  net::asio::io_context io_{1};
  std::unique_ptr<AdminServer> server_;
  std::thread thread_;
};

}  // namespace berth::console
