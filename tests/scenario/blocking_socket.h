// A blocking TCP socket for tests: what a scripted server and a raw client are made of.
//
// Every read is bounded: nothing a broken gateway does can hang a test for longer than kPatience.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::scenario {

inline constexpr std::chrono::seconds kPatience{20};

class BlockingSocket {
 public:
  BlockingSocket() = default;
  explicit BlockingSocket(int fd);
  BlockingSocket(BlockingSocket&& other) noexcept;
  BlockingSocket& operator=(BlockingSocket&& other) noexcept;
  ~BlockingSocket();

  static BlockingSocket connect(std::uint16_t port);
  // Nobody listens on that port of 127.0.0.1.
  static bool refuses(std::uint16_t port);
  // Listens on 127.0.0.1; 0 picks a port.
  static BlockingSocket listen(std::uint16_t port, std::uint16_t& bound);
  std::optional<BlockingSocket> accept();  // nothing once shut down
  void set_backlog(int connections);       // of a listener

  bool send(std::string_view bytes);
  // Some bytes, or empty at the end of the stream, on a reset, or after kPatience.
  std::string receive();
  // receive() ended with a reset, not with the end of the stream.
  bool was_reset() const { return was_reset_; }
  bool is_open() const { return fd_ >= 0; }
  void close();
  void reset();       // RST instead of FIN
  void half_close();  // ends what this side sends
  void shut_down();   // wakes a blocked accept or receive of another thread
  // Waits until the peer closed or reset; false after kPatience, or if it sent bytes instead.
  bool peer_left();

 private:
  int fd_ = -1;
  bool was_reset_ = false;
};

}  // namespace berth::scenario
