// Secrets and certificates: where they are read from, what is said about them, and that they are
// never shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/read_secret.h"
#include "config/secret_files.h"
#include "config/testing_certificates.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kServer = "[[server]]\nurl = \"http://gpu0:8000\"\n";
constexpr const char* kKey = "sk-canary-0123456789";

Config must_load(const std::string& file,
                 const std::map<std::string, std::string>& variables = {}) {
  auto config = load(file, variables, {});
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? *config : Config{};
}

std::string error_of(const std::string& file,
                     const std::map<std::string, std::string>& variables = {}) {
  const auto config = load(file, variables, {});
  return config ? "accepted" : config.error().message;
}

TEST(Sha256, IsTheKnownDigest) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Secrets, TheCommonKeyGoesToServersWithoutOne) {
  const TempFolder folder;
  folder.write("own.key", "sk-own-0123456789\r\n");
  const std::string file =
      folder.write("berth.toml", std::string(kServer) +
                                     "api_key_file = \"own.key\"\n"
                                     "[[server]]\nurl = \"http://gpu1:8000\"\n");
  const Config config = must_load(file, {{"BERTH_UPSTREAM_API_KEY", kKey}});
  EXPECT_EQ(config.servers[0].api_key->value, "sk-own-0123456789");
  EXPECT_EQ(config.servers[1].api_key->value, kKey);
  EXPECT_EQ(config.sources.at("server[http://gpu1:8000].api_key"), "BERTH_UPSTREAM_API_KEY");
}

TEST(Secrets, AVariableMayNameAFile) {
  const TempFolder folder;
  const std::string secret = folder.write("up.key", std::string("  ") + kKey + "\n\n");
  const std::string file = folder.write(
      "berth.toml", std::string("upstream_api_key = \"sk-from-file-012345\"\n") + kServer);
  const Config config = must_load(file, {{"BERTH_UPSTREAM_API_KEY_FILE", secret}});
  EXPECT_EQ(config.servers[0].api_key->value, kKey);
  EXPECT_EQ(config.upstream_api_key->value, kKey);
  // And the other way round.
  const std::string other =
      folder.write("other.toml", std::string("upstream_api_key_file = \"up.key\"\n") + kServer);
  EXPECT_EQ(must_load(other, {{"BERTH_UPSTREAM_API_KEY", "sk-direct-0123456789"}})
                .servers[0]
                .api_key->value,
            "sk-direct-0123456789");
  EXPECT_THAT(
      error_of(file, {{"BERTH_UPSTREAM_API_KEY", kKey}, {"BERTH_UPSTREAM_API_KEY_FILE", secret}}),
      HasSubstr(
          "BERTH_UPSTREAM_API_KEY_FILE: BERTH_UPSTREAM_API_KEY is set, too; set one of them"));
}

TEST(Secrets, SaysWhatIsWrongWithAFileButNotWhatIsInIt) {
  const TempFolder folder;
  const std::string file =
      folder.write("berth.toml", std::string(kServer) + "api_key_file = \"up.key\"\n");
  folder.write("up.key", " \n");
  EXPECT_THAT(error_of(file), HasSubstr("server.api_key_file: cannot read " +
                                        folder.path("up.key") + ": it is empty"));
  folder.write("up.key", std::string(kKey) + "\nsecond line\n");
  EXPECT_THAT(error_of(file), HasSubstr("must be visible ASCII characters"));
  EXPECT_THAT(error_of(file), Not(HasSubstr("canary")));
  folder.write("up.key", std::string(2 << 20, 'x'));
  EXPECT_THAT(error_of(file), HasSubstr("it is larger than 1MiB"));
}

TEST(Secrets, ClientKeysAreKeptAsDigests) {
  const TempFolder folder;
  folder.write("bob.key", std::string(kKey) + "\n");
  folder.write("keys", "# people\n\ncarol:sk-carol:with-colon-01\r\n");
  const std::string digest = sha256_hex("sk-alice-0123456789");
  const std::string file = folder.write(
      "berth.toml", std::string("client_keys_file = \"keys\"\n") + kServer +
                        "[[client_key]]\nname = \"alice\"\nsha256 = \"" + digest +
                        "\"\n[[client_key]]\nname = \"bob\"\nkey_file = \"bob.key\"\n");
  const Config config = must_load(file);
  ASSERT_EQ(config.client_keys.size(), 3u);
  EXPECT_EQ(config.client_keys[0].sha256_hex, digest);
  EXPECT_EQ(config.client_keys[1].name, "bob");
  EXPECT_EQ(config.client_keys[1].sha256_hex, sha256_hex(kKey));
  EXPECT_EQ(config.client_keys[2].name, "carol");
  EXPECT_EQ(config.client_keys[2].sha256_hex, sha256_hex("sk-carol:with-colon-01"));
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(Secrets, NamesTheLineOfABadClientKeysFile) {
  const TempFolder folder;
  const std::string keys =
      folder.write("keys",
                   "alice:sk-alice-0123456789\nsk-canary-0123456789\n:x\nbob:\n"
                   "carol:sk-alice-0123456789\n");
  const std::string file = folder.write("berth.toml", kServer);
  EXPECT_EQ(error_of(file, {{"BERTH_CLIENT_KEYS_FILE", keys}}),
            keys + ":2:1: expected a line NAME:KEY, or a comment after #\n" + keys +
                ":3:1: the name before the colon must not be empty\n" + keys +
                ":4:1: the key of \"bob\" must not be empty\n" + keys +
                ":5:1: client_key: \"carol\" and \"alice\" have the same key, so nobody could tell "
                "them apart");
}

TEST(Secrets, AreNeverPrinted) {
  const TempFolder folder;
  folder.write("token", "canary-token-0123456789");
  const std::string file = folder.write(
      "berth.toml",
      std::string("admin_token_file = \"token\"\nupstream_api_key = \"") + kKey + "\"\n" + kServer +
          "api_key = \"sk-canary-two-0123456789\"\n[[client_key]]\nname = \"alice\"\nkey = \"" +
          "sk-canary-three-0123456789\"\n");
  const Config config = must_load(file);
  EXPECT_EQ(config.admin_token->value, "canary-token-0123456789");
  for (const std::string& out : {describe(config), describe_json(config)}) {
    EXPECT_THAT(out, Not(HasSubstr("canary")));
    EXPECT_THAT(out, Not(HasSubstr(config.client_keys[0].sha256_hex)));
    EXPECT_THAT(out, HasSubstr("(set)"));
  }
}

TEST(Secrets, WarnsAboutFilesThatEverybodyCanRead) {
  const TempFolder folder;
  const std::string secret = folder.write("up.key", kKey, 0644);
  const std::string file =
      folder.write("berth.toml", std::string(kServer) + "api_key_file = \"up.key\"\n", 0644);
  EXPECT_THAT(
      must_load(file).warnings,
      ElementsAre(secret +
                  ": holds a secret, and every user of this machine can read it; chmod o= it"));
  const std::string inline_secret =
      folder.write("inline.toml", std::string(kServer) + "api_key = \"" + kKey + "\"\n", 0644);
  EXPECT_THAT(must_load(inline_secret).warnings,
              ElementsAre(HasSubstr("inline.toml: holds a secret")));
  folder.write("inline.toml", std::string(kServer) + "api_key = \"" + kKey + "\"\n", 0640);
  EXPECT_THAT(must_load(inline_secret).warnings, IsEmpty());
}

TEST(Secrets, WarnsAboutFilesThatEverybodyCanWrite) {
  const TempFolder folder;
  std::vector<std::string> warnings;
  ASSERT_TRUE(read_secret(folder.write("up.key", kKey, 0602), warnings));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("every user of this machine can write it")));
}

TEST(Secrets, HaveOneRuleWhateverTheyOpen) {
  const TempFolder folder;
  std::vector<std::string> warnings;
  for (const auto read : {read_secret, read_admin_token}) {
    EXPECT_EQ(read(folder.write("s", "  0123456789abcdef\r\n\n"), warnings)->value,
              "0123456789abcdef");
    for (const std::string& bad :
         {std::string(), std::string(" \n"), std::string("two words 0123456789"),
          std::string("0123456789abcdef\nsecond"), std::string(4097, 'x'),
          std::string("0123456789abcd\xc3\xa9"), std::string("0123456789abcdef\0x", 18)}) {
      const auto secret = read(folder.write("s", bad), warnings);
      ASSERT_FALSE(secret) << bad;
      EXPECT_EQ(secret.error().code, ErrorCode::kConfig);
      EXPECT_THAT(secret.error().message, HasSubstr(folder.path("s")));
      EXPECT_THAT(secret.error().message, Not(HasSubstr("0123456789")));
    }
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Secrets, TheAdminTokenIsLongEnough) {
  const TempFolder folder;
  folder.write("token", "short");
  const std::string file =
      folder.write("berth.toml", std::string("admin_token_file = \"token\"\n") + kServer);
  EXPECT_EQ(error_of(file), file + ":1:20: admin_token_file: the token in " + folder.path("token") +
                                " has 5 characters; at least 16 are needed");
}

class Certificates : public testing::Test {
 protected:
  std::string config_with(const PemPair& certificate, const std::string& key) {
    folder_.write("cert.pem", certificate.certificate);
    folder_.write("key.pem", key);
    return folder_.write(
        "berth.toml",
        std::string("tls_certificate_file = \"cert.pem\"\ntls_key_file = \"key.pem\"\n") + kServer);
  }
  TempFolder folder_;
};

TEST_F(Certificates, AGoodPairIsAccepted) {
  const PemPair pair = make_certificate(std::chrono::hours(24 * 90));
  EXPECT_THAT(must_load(config_with(pair, pair.key)).warnings, IsEmpty());
}

TEST_F(Certificates, AKeyOfAnotherCertificateIsRefused) {
  const PemPair pair = make_certificate(std::chrono::hours(24 * 90));
  const std::string file = config_with(pair, make_certificate(std::chrono::hours(24 * 90)).key);
  EXPECT_EQ(error_of(file), file + ":2:16: tls_key_file: the key in " + folder_.path("key.pem") +
                                " does not belong to the certificate in " +
                                folder_.path("cert.pem"));
}

TEST_F(Certificates, FilesThatHoldSomethingElseAreRefused) {
  const PemPair pair = make_certificate(std::chrono::hours(24 * 90));
  EXPECT_THAT(error_of(config_with({"no certificate", ""}, pair.key)),
              HasSubstr("cert.pem does not begin with a certificate in PEM form"));
  EXPECT_THAT(error_of(config_with(pair, "no key")),
              HasSubstr("key.pem holds no private key in PEM form"));
}

TEST_F(Certificates, WarnsBeforeAndAfterTheEnd) {
  const PemPair soon = make_certificate(std::chrono::hours(24 * 3 + 1));
  EXPECT_THAT(must_load(config_with(soon, soon.key)).warnings,
              ElementsAre(HasSubstr("expires in 3 days")));
  const PemPair past = make_certificate(std::chrono::hours(-1));
  EXPECT_THAT(must_load(config_with(past, past.key)).warnings,
              ElementsAre(HasSubstr("has expired")));
}

TEST_F(Certificates, AnAuthorityOfAServerIsChecked) {
  folder_.write("ca.pem", make_certificate(std::chrono::hours(24 * 90)).certificate);
  const char* server = "[[server]]\nurl = \"https://gpu0\"\ntls_ca_file = \"";
  EXPECT_THAT(must_load(folder_.write("a.toml", std::string(server) + "ca.pem\"\n")).warnings,
              IsEmpty());
  EXPECT_THAT(error_of(folder_.write("b.toml", std::string(server) + "b.toml\"\n")),
              HasSubstr("b.toml does not begin with a certificate"));
}

}  // namespace
}  // namespace berth::config
