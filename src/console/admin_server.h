// The admin address: metrics, health, the snapshot, explanations, and the few changes an operator
// may make.
//
// Threads: everything runs on the io_context given, which, like the source and the clock, must
// outlive the server. An answer is computed in one go and takes well under a millisecond for a
// fleet of dozens of replicas.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/types.h"
#include "observe/status.h"

namespace berth::console {

struct AdminOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9090;             // 0: a free one
  std::string token;                     // empty: every write is refused
  std::vector<std::string> extra_hosts;  // further names for the Host check, without port
};

class AdminServer {
 public:
  // Listens at once. kIo: the address cannot be bound.
  static Result<std::unique_ptr<AdminServer>> start(net::asio::io_context& io,
                                                    const AdminOptions& options,
                                                    observe::StatusSource& source,
                                                    const Clock& clock);
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  std::uint16_t port() const;
  // The admin token after a reload; empty: every write is refused. On the io_context's thread.
  void set_token(std::string token);
  // The further names of the Host check after a reload. On the io_context's thread.
  void set_extra_hosts(std::vector<std::string> hosts);
  // Stops accepting and closes every connection. On the io_context's thread.
  void stop();

 private:
  struct Impl;
  explicit AdminServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::console
