#include "scenario/tls_tunnel.h"

#include <array>
#include <utility>

#include "net/spawn.h"

namespace berth::scenario {
namespace {

namespace asio = net::asio;
using Side = std::shared_ptr<net::Stream>;

const asio::ip::address kLoopback = asio::ip::address_v4::loopback();

Side side_of(net::Socket socket, const net::TlsContext& context) {
  if (context == nullptr) return std::make_shared<net::Stream>(std::move(socket));
  return std::make_shared<net::Stream>(std::move(socket), *context);
}

// Until one side ends; then both are closed, which ends the pump of the other direction.
net::Task<void> pump(Side from, Side to) {
  std::array<char, 16384> bytes{};
  net::error_code failed;
  while (!failed) {
    const net::IoResult read = co_await from->read_some(asio::buffer(bytes));
    failed = read.error;
    if (failed) break;
    const std::array piece{asio::const_buffer(bytes.data(), read.bytes)};
    const net::IoResult written = co_await to->write_all(piece);
    failed = written.error;
  }
  if (failed == asio::error::eof) co_await to->shutdown();
  to->close();
  from->close();
}

}  // namespace

std::unique_ptr<TlsTunnel> TlsTunnel::before_server(std::uint16_t target, net::TlsContext context) {
  return std::unique_ptr<TlsTunnel>(new TlsTunnel(target, std::move(context), nullptr));
}

std::unique_ptr<TlsTunnel> TlsTunnel::behind_client(std::uint16_t target, net::TlsContext context) {
  return std::unique_ptr<TlsTunnel>(new TlsTunnel(target, nullptr, std::move(context)));
}

TlsTunnel::TlsTunnel(std::uint16_t target, net::TlsContext accepts, net::TlsContext dials)
    : acceptor_(io_.get_executor(), net::tcp::endpoint(kLoopback, 0)),
      target_(kLoopback, target),
      accepts_(std::move(accepts)),
      dials_(std::move(dials)) {
  net::spawn(io_.get_executor(), "tls tunnel", accept());
  thread_ = std::thread([this] { io_.run(); });
}

TlsTunnel::~TlsTunnel() {
  io_.stop();
  thread_.join();
}

net::Task<void> TlsTunnel::accept() {
  net::error_code failed;
  while (!failed) {
    auto [ec, socket] = co_await acceptor_.async_accept(net::use_tuple);
    failed = ec;
    if (!failed) net::spawn(io_.get_executor(), "tls tunnel", connect(std::move(socket)));
  }
}

net::Task<void> TlsTunnel::connect(net::Socket accepted) {
  net::Socket dialled(io_.get_executor());
  auto [refused] = co_await dialled.async_connect(target_, net::use_tuple);
  if (refused) co_return;  // the accepted side is closed with the frame
  const Side near = side_of(std::move(accepted), accepts_);
  const Side far = side_of(std::move(dialled), dials_);
  net::error_code failed;
  if (accepts_ != nullptr) failed = co_await near->handshake_as_server();
  if (dials_ != nullptr) failed = co_await far->handshake_as_client("127.0.0.1");
  if (failed) co_return;
  net::spawn(io_.get_executor(), "tls tunnel", pump(near, far));
  net::spawn(io_.get_executor(), "tls tunnel", pump(far, near));
}

}  // namespace berth::scenario
