// Files by name: what is read, and what would be waited for, for ever.
#include "config/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "config/load.h"
#include "config/testing_files.h"

namespace berth::config {
namespace {

using testing::HasSubstr;

constexpr const char* kServer = "[[server]]\nurl = \"http://gpu0:8000\"\n";

TEST(ReadFile, ReadsTheWholeFileUpToTheLimit) {
  const TempFolder folder;
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
  const std::string text(100'000, 'x');
  const std::string path = folder.write("text", text);
  EXPECT_EQ(read_file(path), text);
  EXPECT_EQ(read_file(path, text.size()), text);
  EXPECT_EQ(read_file(path, text.size() - 1).error().message, "it is larger than 99999B");
  EXPECT_EQ(read_file(folder.write("large", std::string(kLargestText + 1, 'x'))).error().message,
            "it is larger than 1MiB");
}

TEST(ReadFile, ReadsOneWhoseSizeIsNotTold) {
  const auto status = read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_THAT(*status, HasSubstr("Pid:"));
  EXPECT_EQ(read_file("/proc/self/status", 10).error().message, "it is larger than 10B");
}

TEST(ReadFile, FollowsALink) {
  const TempFolder folder;
  std::filesystem::create_symlink(folder.write("text", "here"), folder.path("link"));
  EXPECT_EQ(read_file(folder.path("link")), "here");
}

TEST(ReadFile, SaysWhatIsNoFile) {
  const TempFolder folder;
  const auto missing = read_file(folder.path("missing"));
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "No such file or directory");
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder.path("pipe")).error().message, "it is a named pipe, not a file");
  EXPECT_EQ(read_file("/dev/zero").error().message, "it is a device, not a file");
  EXPECT_EQ(read_file(folder.path(".")).error().message, "it is a folder, not a file");

  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, folder.path("socket").c_str(), sizeof name.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_EQ(read_file(folder.path("socket")).error().message, "it is a socket, not a file");
  close(listener);
}

// Whatever a configuration names: none of them makes the start wait.
TEST(ReadFile, NoFileOfAConfigurationMayBeAPipe) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const auto itself = load(folder.path("pipe"), {}, {});
  ASSERT_FALSE(itself);
  EXPECT_THAT(itself.error().message, HasSubstr("pipe: cannot be read: it is a named pipe"));
  const std::string https = "[[server]]\nurl = \"https://gpu1\"\n";
  for (const std::string& text : std::vector<std::string>{
           std::string("admin_token_file = \"pipe\"\n") + kServer,
           std::string("client_keys_file = \"pipe\"\n") + kServer,
           std::string("upstream_api_key_file = \"pipe\"\n") + kServer,
           std::string("tls_certificate_file = \"pipe\"\ntls_key_file = \"pipe\"\n") + kServer,
           std::string(kServer) + "api_key_file = \"pipe\"\n", https + "tls_ca_file = \"pipe\"\n",
           std::string(kServer) + "[[client_key]]\nname = \"a\"\nkey_file = \"pipe\"\n"}) {
    const auto config = load(folder.write("berth.toml", text), {}, {});
    ASSERT_FALSE(config) << text;
    EXPECT_THAT(config.error().message, HasSubstr("it is a named pipe, not a file")) << text;
  }
}

}  // namespace
}  // namespace berth::config
