// A message head as parsed: views into the buffer it was read into, nothing copied, nothing
// normalised.
//
// The views live as long as that buffer. Header names keep the peer's spelling and order, so a head
// can be written on exactly as it came (docs/http.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace berth::http {

struct Header {
  std::string_view name;
  std::string_view value;  // without surrounding whitespace
};

// ASCII case-insensitive equality.
bool iequals(std::string_view a, std::string_view b) noexcept;

class Headers {
 public:
  void add(std::string_view name, std::string_view value) { items_.push_back({name, value}); }
  // Value of the first header of that name; empty when there is none.
  std::string_view get(std::string_view name) const noexcept;
  bool has(std::string_view name) const noexcept;
  std::size_t count(std::string_view name) const noexcept;
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }
  void clear() { items_.clear(); }

 private:
  std::vector<Header> items_;
};

// How the body that follows is delimited, after strict framing accepted the head.
enum class BodyFraming : std::uint8_t { kNone, kContentLength, kChunked, kUntilClose };

struct RequestHead {
  std::string_view method;
  std::string_view target;  // as sent: path and query
  int minor_version = 1;    // HTTP/1.x
  Headers headers;
  BodyFraming framing = BodyFraming::kNone;
  std::uint64_t content_length = 0;
  bool keep_alive = true;
  bool expect_continue = false;

  std::string_view path() const noexcept { return target.substr(0, target.find('?')); }
  // With the '?'; empty when there is none.
  std::string_view query() const noexcept {
    const auto q = target.find('?');
    return q == std::string_view::npos ? std::string_view{} : target.substr(q);
  }
};

struct ResponseHead {
  int status = 0;
  std::string_view reason;
  int minor_version = 1;
  Headers headers;
  BodyFraming framing = BodyFraming::kNone;
  std::uint64_t content_length = 0;
  bool keep_alive = true;
};

// Which headers of one message concern its connection only and are never forwarded: Connection and
// what it names, Keep-Alive, Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade, and Content-Length
// (written anew).
//
// What Connection names is collected once: a head of many headers and as many names costs
// O(n log n), not one reading of the list for each header. Bounded by the head's own limit. Holds
// views into the message, as Headers does.
class HopByHop {
 public:
  explicit HopByHop(const Headers& headers);
  bool covers(std::string_view name) const noexcept;
  std::size_t named() const noexcept { return named_.size(); }  // different names in Connection

 private:
  std::vector<std::string_view> named_;  // in order, whatever their case
};

}  // namespace berth::http
