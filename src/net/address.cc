#include "net/address.h"

#include <fmt/format.h>

namespace berth::net {

std::string join_host_port(std::string_view host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string to_string(const tcp::endpoint& endpoint) {
  return join_host_port(endpoint.address().to_string(), endpoint.port());
}

}  // namespace berth::net
