// Certificates made on the spot for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>

namespace berth::config {

struct PemPair {
  std::string certificate;
  std::string key;
};

inline std::string take_pem(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// A self-signed certificate that ends `lifetime` from now (which may be in the past), with its key.
inline PemPair make_certificate(std::chrono::hours lifetime) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600L * 24 * 365);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()),
                  static_cast<long>(std::chrono::seconds(lifetime).count()));
  X509_set_pubkey(certificate.get(), key.get());
  EXPECT_NE(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new(BIO_s_mem()), &BIO_free_all);
  EXPECT_EQ(PEM_write_bio_X509(bio.get(), certificate.get()), 1);
  PemPair pair;
  pair.certificate = take_pem(bio.get());
  EXPECT_EQ(BIO_reset(bio.get()), 1);
  EXPECT_EQ(PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr),
            1);
  pair.key = take_pem(bio.get());
  return pair;
}

}  // namespace berth::config
