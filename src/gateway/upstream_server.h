// One vLLM HTTP server as the data path sees it: where it is, what to authenticate with, how busy
// Berth keeps it.
//
// Made by the gateway on its control thread, shared with every worker thread and immutable but for
// the atomic counts. Lives until the last request to it has ended.
#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "http/client.h"

namespace berth::gateway {

struct UpstreamServer {
  std::uint32_t index = 0;  // in the fleet
  http::Url url;
  std::string label;    // "gpu0:8000": names its replicas
  std::string api_key;  // sent as Authorization: Bearer; empty: the client's own credential passes
  std::shared_ptr<boost::asio::ssl::context> tls;  // null for http

  std::atomic<std::uint32_t> in_flight{0};       // requests Berth has sent there and not finished
  std::atomic<std::uint64_t> response_bytes{0};  // received by the data path, ever
  std::atomic<std::uint64_t> scrape_failures{0};
  std::atomic<std::uint64_t> connects{0};  // new connections made
  std::atomic<std::uint64_t> reuses{0};    // requests sent on a pooled connection
};

}  // namespace berth::gateway
