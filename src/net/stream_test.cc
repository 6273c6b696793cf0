#include "net/stream.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "net/loopback_pair.h"
#include "net/run_task.h"

namespace berth::net {
namespace {

class StreamTest : public ::testing::Test {
 protected:
  StreamTest()
      : pair_(loopback_pair(io_)), near_(std::move(pair_.first)), far_(std::move(pair_.second)) {}

  IoResult read_into(Stream& stream, std::string& text) {
    std::array<char, 4096> buffer;
    const auto got =
        run_task(io_, stream.read_some(asio::mutable_buffer(buffer.data(), buffer.size())));
    text.assign(buffer.data(), got.bytes);
    return got;
  }

  asio::io_context io_{1};
  std::pair<Socket, Socket> pair_;
  Stream near_;
  Stream far_;
};

TEST_F(StreamTest, WritesAllPiecesInOrder) {
  std::vector<std::string> texts;
  std::vector<asio::const_buffer> pieces;
  for (int i = 0; i < 200; ++i) texts.push_back(std::to_string(i) + ",");
  std::string all;
  for (const auto& text : texts) {
    pieces.push_back(asio::buffer(text));
    all += text;
  }
  const auto written = run_task(io_, near_.write_all(pieces));
  EXPECT_FALSE(written.error);
  EXPECT_EQ(written.bytes, all.size());
  std::string got;
  while (got.size() < all.size()) {
    std::string more;
    ASSERT_FALSE(read_into(far_, more).error);
    got += more;
  }
  EXPECT_EQ(got, all);
}

TEST_F(StreamTest, WritesMoreThanTheKernelTakesAtOnce) {
  near_.socket().set_option(asio::socket_base::send_buffer_size(16'384));
  far_.socket().set_option(asio::socket_base::receive_buffer_size(16'384));
  const std::string large(3'000'000, 'a');
  const std::string end = "the end";
  const std::array<asio::const_buffer, 3> pieces{asio::buffer(end), asio::buffer(large),
                                                 asio::buffer(end)};
  std::optional<IoResult> written;
  asio::co_spawn(io_, near_.write_all(pieces),
                 [&](std::exception_ptr, IoResult result) { written = result; });
  std::string got;
  while (got.size() < large.size() + 2 * end.size()) {
    std::string more;
    ASSERT_FALSE(read_into(far_, more).error);
    got += more;
  }
  EXPECT_TRUE(got == end + large + end);
  while (!written) io_.run_one();
  EXPECT_FALSE(written->error);
  EXPECT_EQ(written->bytes, got.size());
}

TEST_F(StreamTest, SixtyPiecesThatFitAreOneWrite) {
  const std::string text(1000, 'a');
  const std::vector<asio::const_buffer> pieces(60, asio::buffer(text));
  EXPECT_EQ(run_task(io_, near_.write_all(pieces)).bytes, 60'000u);
  EXPECT_EQ(near_.writes(), 1u);
}

TEST_F(StreamTest, AWriteToAClosedStreamFails) {
  near_.close();
  const std::array<asio::const_buffer, 1> pieces{asio::buffer("text", 4)};
  EXPECT_TRUE(run_task(io_, near_.write_all(pieces)).error);
}

TEST_F(StreamTest, ReadsEofAsAnError) {
  near_.close();
  std::string text;
  EXPECT_EQ(read_into(far_, text).error, asio::error::eof);
  EXPECT_EQ(text, "");
}

TEST_F(StreamTest, CloseEndsAnOutstandingRead) {
  std::optional<error_code> outcome;
  std::array<char, 10> buffer;
  near_.read_some(asio::buffer(buffer), [&outcome](error_code ec, std::size_t) { outcome = ec; });
  near_.close();
  near_.close();
  io_.restart();
  while (!outcome) io_.run_one();
  EXPECT_EQ(*outcome, asio::error::operation_aborted);
}

TEST_F(StreamTest, MayDieWithACallbackReadOutstanding) {
  auto [one, two] = loopback_pair(io_);
  std::optional<Stream> stream;
  stream.emplace(std::move(one));
  std::optional<error_code> outcome;
  const auto buffer = std::make_shared<std::array<char, 10>>();
  stream->read_some(asio::buffer(*buffer),
                    [&outcome, buffer](error_code ec, std::size_t) { outcome = ec; });
  stream.reset();
  io_.restart();
  while (!outcome) io_.run_one();
  EXPECT_EQ(*outcome, asio::error::operation_aborted);
}

TEST_F(StreamTest, ClosingTheSendingSideLeavesTheOtherOpen) {
  near_.close_sending_side();
  std::string text;
  EXPECT_EQ(read_into(far_, text).error, asio::error::eof);
  const std::string_view late = "late";
  const std::array<asio::const_buffer, 1> pieces = {asio::buffer(late)};
  EXPECT_FALSE(run_task(io_, far_.write_all(pieces)).error);
  EXPECT_FALSE(read_into(near_, text).error);
  EXPECT_EQ(text, "late");
}

TEST_F(StreamTest, WritingToAClosedPeerFails) {
  far_.close();
  const std::string bytes(1'000'000, 'x');
  const std::array<asio::const_buffer, 1> pieces = {asio::buffer(bytes)};
  EXPECT_TRUE(run_task(io_, near_.write_all(pieces)).error);
}

TEST_F(StreamTest, ShutdownEndsBothSides) {
  run_task(io_, near_.shutdown());
  std::string text;
  EXPECT_EQ(read_into(far_, text).error, asio::error::eof);
  EXPECT_FALSE(near_.socket().is_open());
}

}  // namespace
}  // namespace berth::net
