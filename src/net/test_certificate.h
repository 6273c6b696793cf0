// Certificates made on the spot, for tests.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace berth::net {

// A self-signed certificate for the names given ("DNS:localhost,IP:127.0.0.1") and its key, as PEM
// files in a folder of their own, removed with the object. Throws when OpenSSL or the file system
// refuses.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& names) {
    std::string pattern = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
    Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    Certificate certificate(X509_new(), X509_free);
    fill(certificate.get(), key.get(), names);
    write(certificate_file(), [&](std::FILE* f) { return PEM_write_X509(f, certificate.get()); });
    write(key_file(), [&](std::FILE* f) {
      return PEM_write_PrivateKey(f, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  ~TestCertificate() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  std::string certificate_file() const { return folder_ / "certificate.pem"; }
  std::string key_file() const { return folder_ / "key.pem"; }

 private:
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

  static void fill(X509* certificate, EVP_PKEY* key, const std::string& names) {
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    auto* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("berth test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    auto* extension = X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str());
    if (extension == nullptr) throw std::runtime_error("bad names: " + names);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    if (X509_sign(certificate, key, EVP_sha256()) == 0) throw std::runtime_error("signing failed");
  }

  template <typename Writer>
  static void write(const std::string& path, Writer writer) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    const int written = writer(file);
    std::fclose(file);
    if (written != 1) throw std::runtime_error("cannot write " + path);
  }

  std::filesystem::path folder_;
};

}  // namespace berth::net
