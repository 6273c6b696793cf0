#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <array>
#include <string_view>

namespace berth::net {
namespace {

constexpr std::array<unsigned char, 9> kAlpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

TlsContext new_context(asio::ssl::context::method method) {
  auto context = std::make_shared<asio::ssl::context>(method);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // A stream of small events otherwise keeps two 16 KiB record buffers for every idle connection.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return context;
}

// Takes http/1.1 where it is offered; a client that offers only other protocols is left to decide
// for itself.
int choose_alpn(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                unsigned int in_length, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kAlpn.data(), kAlpn.size(), in, in_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

tl::unexpected<Error> file_trouble(std::string_view what, const std::string& file,
                                   const error_code& ec) {
  return fail(ErrorCode::kConfig,
              fmt::format("cannot use the TLS {} {}: {}", what, file, ec.message()));
}

}  // namespace

Result<TlsContext> make_server_context(const std::string& certificate_file,
                                       const std::string& key_file) {
  auto context = new_context(asio::ssl::context::tls_server);
  error_code ec;
  context->use_certificate_chain_file(certificate_file, ec);
  if (ec) return file_trouble("certificate", certificate_file, ec);
  context->use_private_key_file(key_file, asio::ssl::context::pem, ec);
  if (ec) {
    // OpenSSL checks here, too, that the key belongs to the certificate.
    return fail(ErrorCode::kConfig,
                fmt::format("cannot use the TLS private key {} with the certificate {}: {}",
                            key_file, certificate_file, ec.message()));
  }
  SSL_CTX_set_alpn_select_cb(context->native_handle(), choose_alpn, nullptr);
  return context;
}

Result<TlsContext> make_client_context(const TlsClientOptions& options) {
  auto context = new_context(asio::ssl::context::tls_client);
  error_code ec;
  if (!options.verify) {
    context->set_verify_mode(asio::ssl::verify_none, ec);
  } else {
    context->set_verify_mode(asio::ssl::verify_peer, ec);
    if (options.ca_file.empty()) {
      context->set_default_verify_paths(ec);
      if (ec)
        return fail(ErrorCode::kConfig,
                    fmt::format("cannot use the system's CA store: {}", ec.message()));
    } else {
      context->load_verify_file(options.ca_file, ec);
      if (ec) return file_trouble("CA file", options.ca_file, ec);
    }
  }
  SSL_CTX_set_alpn_protos(context->native_handle(), kAlpn.data(), kAlpn.size());
  return context;
}

std::string describe_tls_error(Stream& stream, error_code ec) {
  const long verdict = stream.is_tls() ? SSL_get_verify_result(stream.tls_handle()) : X509_V_OK;
  if (verdict == X509_V_OK) return ec.message();
  return fmt::format("{} ({})", ec.message(), X509_verify_cert_error_string(verdict));
}

}  // namespace berth::net
