#include "gateway/worker.h"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>
#include <vector>

namespace berth::gateway {
namespace {

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest()
      : models_(config_, 1, clock_.now()), shared_(clock_, hash_, registry_, models_, config_) {
    config_.access_log = "";
    shared_.set_live(make_live_config(config_, hash_, nullptr, reaper_).value());
  }

  SteadyClock clock_;
  config::Config config_;
  const KeyedHash hash_ = KeyedHash::random();
  observe::Registry registry_;
  ModelTable models_;
  observe::LogReaper reaper_;
  SharedState shared_;
  net::asio::io_context io_;
  net::Socket client_{io_.get_executor()};
};

// With no time between sweeps there is almost always an expiry in the loop's queue when stop()
// cancels the timer; it comes without an error, and must end the sweeps all the same.
TEST_F(WorkerTest, StopsAlsoWhenItsTimerHasJustExpired) {
  for (int i = 0; i < 200; ++i) {
    Worker worker(shared_, Duration::zero());
    const Result<std::uint16_t> port = worker.listen("127.0.0.1", 0);
    ASSERT_TRUE(port.has_value());
    worker.start();
    client_.connect({net::asio::ip::address_v4::loopback(), *port});
    while (shared_.connections.load() == 0) std::this_thread::yield();  // now its loop runs
    worker.stop();
    worker.join();
    client_.close();
  }
}

// Connected before the worker's loop ran at all, so they wait in the backlog when it drains.
TEST_F(WorkerTest, ADrainAnswersWhatWaitsInTheBacklog) {
  Worker worker(shared_);
  const Result<std::uint16_t> port = worker.listen("127.0.0.1", 0);
  ASSERT_TRUE(port.has_value());
  constexpr int kClients = 20;
  std::vector<net::Socket> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back(io_.get_executor());
    clients.back().connect({net::asio::ip::address_v4::loopback(), *port});
    const std::string request = "GET /v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n";
    net::asio::write(clients.back(), net::asio::buffer(request));
  }
  shared_.draining = true;
  worker.start();
  worker.drain();
  while (!worker.backlog_taken() || shared_.requests.load() > 0) std::this_thread::yield();
  worker.stop();
  worker.join();
  for (net::Socket& client : clients) {
    std::string answer;
    net::error_code ended;
    net::asio::read(client, net::asio::dynamic_buffer(answer), ended);
    EXPECT_EQ(ended, net::asio::error::eof) << "cut off: " << ended.message();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 ")) << answer;
  }
}

}  // namespace
}  // namespace berth::gateway
