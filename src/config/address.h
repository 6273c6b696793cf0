// Addresses to listen on.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/schema.h"

namespace berth::config {

// "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:80", "localhost:8080" (127.0.0.1) or a port alone
// (127.0.0.1 too). Other host names are refused: an address to bind must not depend on a name
// server. Port 0 takes a free one. The error's message is a phrase that follows the key's name.
Result<Address> parse_address(std::string_view text);

// "127.0.0.1:8080"; IPv6 in brackets.
std::string format_address(const Address& address);

// True if a listener on one would collide with a listener on the other: equal ports (not 0), and
// equal hosts or one of them the wildcard.
bool addresses_collide(const Address& a, const Address& b);

}  // namespace berth::config
