// Host and port as people read and write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/types.h"

namespace berth::net {

// "host:port"; an IPv6 literal gets brackets.
std::string join_host_port(std::string_view host, std::uint16_t port);

std::string to_string(const tcp::endpoint& endpoint);

}  // namespace berth::net
