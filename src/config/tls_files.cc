#include "config/tls_files.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "config/read_file.h"

namespace berth::config {
namespace {

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

// A key with a passphrase is refused rather than asked for on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Bio open_memory(const std::string& content) {
  return Bio(BIO_new_mem_buf(content.data(), static_cast<int>(content.size())));
}

Certificate first_certificate(const std::string& content) {
  const Bio bio = open_memory(content);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return certificate;
}

PrivateKey private_key(const std::string& content) {
  const Bio bio = open_memory(content);
  PrivateKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

}  // namespace

Result<WallTime> certificate_end(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return fail(ErrorCode::kConfig, cannot_read(path, content.error().message));
  const Certificate certificate = first_certificate(*content);
  if (!certificate) {
    return fail(ErrorCode::kConfig,
                fmt::format("{} does not begin with a certificate in PEM form", path));
  }
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return fail(ErrorCode::kConfig,
                fmt::format("the certificate in {} has no readable end date", path));
  }
  return std::chrono::system_clock::from_time_t(timegm(&end));
}

std::optional<std::string> key_problem(const std::string& certificate_path,
                                       const std::string& key_path) {
  const auto content = read_file(key_path);
  if (!content) return cannot_read(key_path, content.error().message);
  const PrivateKey key = private_key(*content);
  if (!key)
    return fmt::format("{} holds no private key in PEM form without a passphrase", key_path);
  const auto certificate_content = read_file(certificate_path);
  const Certificate certificate =
      certificate_content ? first_certificate(*certificate_content) : Certificate();
  const bool fits = certificate && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (fits) return std::nullopt;
  return fmt::format("the key in {} does not belong to the certificate in {}", key_path,
                     certificate_path);
}

}  // namespace berth::config
