#include "console/routes.h"

#include <gtest/gtest.h>

namespace berth::console {
namespace {

TEST(Routes, ModelNamesMayHoldSlashesEitherWay) {
  for (const char* path : {"/api/models/org/qwen3-4b/routing", "/api/models/org%2Fqwen3-4b/routing",
                           "/api/models/org%2fqwen3%2D4b/routing"}) {
    const auto route = find_route(path);
    ASSERT_TRUE(route) << path;
    EXPECT_EQ(route->endpoint, Endpoint::kRouting);
    EXPECT_EQ(route->model, "org/qwen3-4b");
  }
}

TEST(Routes, ReplicaLabelsAreDecoded) {
  const auto route = find_route("/api/models/org/m/replicas/gpu0:8000%232/drain");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->endpoint, Endpoint::kDrain);
  EXPECT_EQ(route->model, "org/m");
  EXPECT_EQ(route->replica, "gpu0:8000#2");
}

TEST(Routes, AModelNamedLikeAPathIsStillFound) {
  const auto route = find_route("/api/models/a/replicas/b/replicas/gpu0/drain");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->model, "a/replicas/b");
  EXPECT_EQ(route->replica, "gpu0");
}

TEST(Routes, UnknownPathsListWhatExists) {
  for (const char* path :
       {"/", "/api", "/api/snapshot/", "/api/models//routing", "/api/models/routing",
        "/api/models/m", "/api/models/m/drain", "/api/models/m/replicas/drain",
        "/api/models/m/replicas//drain", "/API/snapshot"}) {
    const auto route = find_route(path);
    ASSERT_FALSE(route) << path;
    EXPECT_EQ(route.error().code, ErrorCode::kNotFound);
    EXPECT_NE(route.error().message.find("GET /api/snapshot"), std::string::npos);
  }
}

TEST(Routes, ABrokenEncodingIsABadRequest) {
  for (const char* path :
       {"/api/models/a%2/routing", "/api/models/a%zz/routing", "/api/models/a%/routing"}) {
    const auto route = find_route(path);
    ASSERT_FALSE(route) << path;
    EXPECT_EQ(route.error().code, ErrorCode::kBadRequest);
  }
}

TEST(Routes, MethodsAreThoseOfTheAllowHeader) {
  EXPECT_TRUE(method_allowed(Endpoint::kSnapshot, "GET"));
  EXPECT_TRUE(method_allowed(Endpoint::kSnapshot, "HEAD"));
  EXPECT_FALSE(method_allowed(Endpoint::kSnapshot, "POST"));
  EXPECT_FALSE(method_allowed(Endpoint::kSnapshot, "GET, HEAD"));
  EXPECT_TRUE(method_allowed(Endpoint::kRouting, "PUT"));
  EXPECT_FALSE(method_allowed(Endpoint::kRouting, "GET"));
  EXPECT_FALSE(method_allowed(Endpoint::kDrain, "OPTIONS"));
}

}  // namespace
}  // namespace berth::console
