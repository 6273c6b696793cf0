// The gateway: listener, workers, fleet and models put together. `berth serve` and `berth demo` run
// one.
//
// Threads: the caller's io_context is the control thread (fleet, reload, state); every worker has
// its own, and so has the writer of the state file. Public calls are made on the control thread,
// but for StatusSource's, which are safe from any.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/schema.h"
#include "net/types.h"
#include "observe/status.h"

namespace berth::gateway {

class Gateway : public observe::StatusSource {
 public:
  // Opens the log and the state directory: from now on the StatusSource answers, so that the admin
  // address can be bound before the public one. On an error nothing is left running. `warnings`
  // gets what an operator should know.
  static Result<std::unique_ptr<Gateway>> open(net::asio::io_context& io,
                                               const config::Config& config, const Clock& clock,
                                               std::vector<std::string>& warnings);
  // Binds the public address, starts the fleet and the reading of the bindings of the last run;
  // clients wait in the backlog until those are here and every server has been asked once. A
  // damaged state file is a warning in the log. Once, after open(); on an error the gateway is of
  // no use. kIo: somebody listens there.
  Result<void> listen();
  // Both.
  static Result<std::unique_ptr<Gateway>> start(net::asio::io_context& io,
                                                const config::Config& config, const Clock& clock,
                                                std::vector<std::string>& warnings);
  ~Gateway() override;

  std::uint16_t port() const;  // of the listener, when port 0 was asked for

  // Applies a configuration that was loaded and validated; what needs a restart must be as it was
  // (config::plan_reload sees to that, and tells the operator). Bindings and streams are untouched.
  // On an error the running configuration stays, and the reload counts as failed.
  Result<void> reload(const config::Config& config);
  // Opens the access log's file by its name again; lines that wait go to the new one. On an error
  // the old file stays in use.
  Result<void> reopen_access_log();
  // A configuration that could not even be loaded: only counted.
  void count_failed_reload();

  // What became of the gateway's work at its end.
  struct Drained {
    std::uint32_t ended = 0;  // requests under way when the drain began that came to their end
    std::uint32_t cut = 0;    // those that were closed when its time was over
    // Bindings in the state file now; absent: nothing is kept, or it could not be written, or what
    // it held was not all read yet and it is as it was.
    std::optional<std::size_t> saved;
  };
  // Stops accepting, lets open exchanges end for at most timeouts.drain, then closes them; writes
  // the state.
  net::Task<Drained> drain();

  observe::FleetStatus status() const override;
  std::vector<observe::ModelExplanation> explain(const std::string& session) const override;
  Result<void> change_routing(const std::string& model,
                              const observe::RoutingChange& change) override;
  Result<void> set_drain(const std::string& model, const std::string& replica_label,
                         bool drain) override;
  std::string metrics_text() const override;
  bool ready() const override;
  std::string hash_of(const std::string& id) const override;

 private:
  struct Impl;
  explicit Gateway(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::gateway
