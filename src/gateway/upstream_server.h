// One vLLM HTTP server as the data path sees it: where it is, what to authenticate with, how busy
// Berth keeps it.
//
// Made by the gateway on its control thread, shared with every worker thread and immutable but for
// the counts. A reload that changes a server's key or TLS settings puts a new object with the same
// index, label and counts in its place; requests under way end with the old one. Lives until the
// last of them has ended.
#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "http/client.h"

namespace berth::gateway {

// What is counted at one server, over all its UpstreamServer objects. Any thread.
struct ServerCounts {
  std::atomic<std::uint32_t> in_flight{0};       // requests Berth has sent there and not finished
  std::atomic<std::uint64_t> response_bytes{0};  // received by the data path, ever
  std::atomic<std::uint64_t> scrape_failures{0};
  std::atomic<std::uint64_t> connects{0};  // new connections made
  std::atomic<std::uint64_t> reuses{0};    // requests sent on a pooled connection
};

struct UpstreamServer {
  std::uint32_t index = 0;  // in the fleet, never given to another server
  http::Url url;
  std::string label;    // "gpu0:8000": names its replicas (server_label.h)
  std::string api_key;  // sent as Authorization: Bearer; empty: the client's own credential passes
  std::shared_ptr<boost::asio::ssl::context> tls;                           // null for http
  std::shared_ptr<ServerCounts> counts = std::make_shared<ServerCounts>();  // never null
};

}  // namespace berth::gateway
