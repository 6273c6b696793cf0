// TLS contexts for both sides. TLS 1.2 and later; ALPN says "http/1.1".
//
// Contexts are made at start or reload and shared by the connections made from them; a Stream keeps
// its own reference to what it needs, so a context may be replaced while connections made from it
// live on.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream.h"

namespace berth::net {

using TlsContext = std::shared_ptr<asio::ssl::context>;

// For a listener. `certificate_file` holds the PEM chain, leaf first; `key_file` its private key.
// kConfig with a sentence that names the file when one cannot be read or the two do not belong
// together.
Result<TlsContext> make_server_context(const std::string& certificate_file,
                                       const std::string& key_file);

struct TlsClientOptions {
  bool verify = true;   // the server's certificate chain and host name
  std::string ca_file;  // PEM; empty: the system's store
};

// For connections to servers. kConfig with a sentence that names the file.
Result<TlsContext> make_client_context(const TlsClientOptions& options);

// What went wrong in a handshake, for people: the reason of a failed verification where there is
// one.
std::string describe_tls_error(Stream& stream, error_code ec);

}  // namespace berth::net
