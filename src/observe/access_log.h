// The access log: one JSON line a request, written by its own thread through a bounded ring. When
// the ring is full a line is dropped and counted; a request never waits for the disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace berth::observe {

// Nothing of a prompt, no credential, no plain session id.
struct AccessRecord {
  WallTime at{};
  std::string id;  // request id: client's x-request-id if it is plain text, else ours
  std::string method;
  std::string path;  // without the query
  std::string model;
  std::string replica;  // label, or empty
  std::string outcome;
  std::string reason;
  std::string identity;                          // identity source name
  std::string conversation;                      // keyed hash
  std::string tenant;                            // key name or keyed hash
  int status = 0;                                // sent to the client
  std::optional<std::uint64_t> upstream_status;  // the replica's, where another was sent
  std::string error;                             // error code name, or empty
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  Duration queue{};
  std::optional<Duration> ttfb;  // to the first content token
  Duration total{};
  std::optional<std::uint64_t> prompt_tokens;
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> output_tokens;
  std::vector<std::string> edits;  // of the closed list
  bool retried = false;
};

// One line, no newline. Every key is always there (docs/access-log.md), null where nothing is
// known. Text is cut to 256 bytes (path: 1024), made valid UTF-8 and
// escaped.
std::string to_json(const AccessRecord& record);

class AccessLog {
 public:
  // "-" is standard output, empty is off. The file is reopened by reopen() (SIGHUP after a
  // rotation).
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path, std::size_t ring = 8192);
  // Writes what is left: up to three seconds on a pipe nobody reads, where the rest is lost. Not
  // for a thread that serves requests (log_reaper.h).
  virtual ~AccessLog() = default;
  virtual void write(AccessRecord record) = 0;  // any thread, never blocks
  virtual std::uint64_t dropped() const = 0;
  virtual Result<void> reopen() = 0;
};

}  // namespace berth::observe
