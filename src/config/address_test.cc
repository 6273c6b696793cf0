#include "config/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::config {
namespace {

std::string read_back(std::string_view text) {
  const auto address = parse_address(text);
  return address ? format_address(*address) : "refused: " + address.error().message;
}

TEST(ParseAddress, ReadsEveryForm) {
  EXPECT_EQ(read_back("127.0.0.1:8080"), "127.0.0.1:8080");
  EXPECT_EQ(read_back("0.0.0.0:80"), "0.0.0.0:80");
  EXPECT_EQ(read_back("localhost:9090"), "127.0.0.1:9090");
  EXPECT_EQ(read_back("8080"), "127.0.0.1:8080");
  EXPECT_EQ(read_back("0"), "127.0.0.1:0");
  EXPECT_EQ(read_back("[::1]:8080"), "[::1]:8080");
  EXPECT_EQ(read_back("[0:0:0:0:0:0:0:1]:8080"), "[::1]:8080");
  EXPECT_EQ(read_back("[::]:1"), "[::]:1");
}

TEST(ParseAddress, RefusesTheRestWithTheReason) {
  using testing::HasSubstr;
  EXPECT_THAT(read_back(""), HasSubstr("expected HOST:PORT"));
  EXPECT_THAT(read_back(":8080"), HasSubstr("\"0.0.0.0:8080\" for all"));
  EXPECT_THAT(read_back("::1:8080"), HasSubstr("needs brackets"));
  EXPECT_THAT(read_back("fe80::1:8080"), HasSubstr("needs brackets"));
  EXPECT_THAT(read_back("[::1]"), HasSubstr("expected \"[ADDRESS]:PORT\""));
  EXPECT_THAT(read_back("[::g]:80"), HasSubstr("not an IPv6 address"));
  EXPECT_THAT(read_back("gpu0:8080"), HasSubstr("binds to an address, not to a name"));
  EXPECT_THAT(read_back("256.0.0.1:80"), HasSubstr("not an IP address"));
  EXPECT_THAT(read_back("http://127.0.0.1:80"), HasSubstr("without a scheme"));
  for (const char* bad :
       {"127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x", "127.0.0.1: 80"}) {
    EXPECT_THAT(read_back(bad), HasSubstr("is not a port")) << bad;
  }
  EXPECT_THAT(read_back("65536"), HasSubstr("refused"));
}

TEST(Address, KnowsLoopback) {
  EXPECT_TRUE((Address{"127.0.0.1", 1}).is_loopback());
  EXPECT_TRUE((Address{"127.8.8.8", 1}).is_loopback());
  EXPECT_TRUE((Address{"::1", 1}).is_loopback());
  EXPECT_TRUE((Address{"::ffff:127.0.0.1", 1}).is_loopback());
  EXPECT_FALSE((Address{"0.0.0.0", 1}).is_loopback());
  EXPECT_FALSE((Address{"::", 1}).is_loopback());
  EXPECT_FALSE((Address{"10.0.0.1", 1}).is_loopback());
  EXPECT_FALSE((Address{"::ffff:10.0.0.1", 1}).is_loopback());
}

TEST(AddressesCollide, OnEqualPortsOfEqualOrAllInterfaces) {
  EXPECT_TRUE(addresses_collide({"127.0.0.1", 80}, {"127.0.0.1", 80}));
  EXPECT_TRUE(addresses_collide({"0.0.0.0", 80}, {"127.0.0.1", 80}));
  EXPECT_TRUE(addresses_collide({"127.0.0.1", 80}, {"::", 80}));
  EXPECT_FALSE(addresses_collide({"127.0.0.1", 80}, {"127.0.0.1", 81}));
  EXPECT_FALSE(addresses_collide({"127.0.0.1", 80}, {"10.0.0.1", 80}));
  EXPECT_FALSE(addresses_collide({"127.0.0.1", 0}, {"127.0.0.1", 0}));
}

}  // namespace
}  // namespace berth::config
