#include "gateway/client_auth.h"

#include <gtest/gtest.h>

namespace berth::gateway {
namespace {

KeyedHash test_hash() { return KeyedHash(KeyedHash::Key{}); }

TEST(ClientAuth, WithoutKeysTheTenantIsAHashOfTheCredentialNeverTheCredential) {
  const ClientAuth auth({}, test_hash());
  http::Headers headers;
  headers.add("Authorization", "Bearer sk-secret");
  const auto tenant = auth.tenant_of(headers);
  ASSERT_TRUE(tenant.has_value());
  EXPECT_EQ(*tenant, test_hash().hex("sk-secret"));
  EXPECT_EQ(tenant->find("secret"), std::string::npos);
}

TEST(ClientAuth, WithoutKeysAndWithoutCredentialTheTenantIsAnonymous) {
  EXPECT_EQ(*ClientAuth({}, test_hash()).tenant_of(http::Headers{}), "anonymous");
}

TEST(ClientAuth, BothHeadersNameTheSameTenantAndAWrongKeyIsRefused) {
  const ClientAuth auth(
      {{"team-a", "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}},
      test_hash());
  http::Headers bearer;
  bearer.add("authorization", "bearer  one");
  http::Headers api_key;
  api_key.add("X-Api-Key", "one");
  http::Headers wrong;
  wrong.add("x-api-key", "two");
  EXPECT_EQ(auth.tenant_of(bearer).value_or("refused"), "team-a");
  EXPECT_EQ(auth.tenant_of(api_key).value_or("refused"), "team-a");
  ASSERT_FALSE(auth.tenant_of(wrong).has_value());
  EXPECT_EQ(auth.tenant_of(wrong).error().code, ErrorCode::kUnauthorized);
  EXPECT_FALSE(auth.tenant_of(http::Headers{}).has_value());
}

TEST(ClientAuth, EitherOfTwoCredentialsMayBeTheKey) {
  const ClientAuth auth(
      {{"team-a", "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}},
      test_hash());
  http::Headers both;
  both.add("Authorization", "Bearer something-else");
  both.add("x-api-key", "one");
  EXPECT_EQ(auth.tenant_of(both).value_or("refused"), "team-a");
}

}  // namespace
}  // namespace berth::gateway
