#include "http/push_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>

namespace berth::http {
namespace {

namespace beast_http = boost::beast::http;
using BeastString = boost::beast::string_view;
using boost::beast::error_code;

// The size that Beast 1.86 and later allow (their changelog, v360).
constexpr std::size_t kMaxChunkLine = std::size_t{8} * 1024;

bool ends_with_crlf(std::string_view text) {
  return text.size() >= 2 && text.substr(text.size() - 2) == "\r\n";
}

}  // namespace

// What the body decoder needs of either kind of Beast parser.
struct PushParser::Engine {
  virtual ~Engine() = default;
  virtual std::size_t put(std::string_view in, error_code& ec) = 0;
  virtual bool done() const = 0;
  virtual void put_eof(error_code& ec) = 0;
  virtual bool delimits(BodyFraming framing, std::uint64_t content_length) const = 0;

  BodySpans* out = nullptr;      // where body bytes go during put()
  std::uint64_t chunk_left = 0;  // bytes of the current chunk still to come
};

template <bool kIsRequest>
class PushParser::Sink final : public Engine, private beast_http::basic_parser<kIsRequest> {
  using Parser = beast_http::basic_parser<kIsRequest>;

 public:
  explicit Sink(bool no_body) {
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // HeadCollector holds the limit
    this->body_limit(boost::none);                                  // the caller holds the limit
    this->skip(no_body);
  }

  std::size_t put(std::string_view in, error_code& ec) override {
    return Parser::put(boost::asio::const_buffer(in.data(), in.size()), ec);
  }
  bool done() const override { return Parser::is_done(); }
  void put_eof(error_code& ec) override { Parser::put_eof(ec); }

  bool delimits(BodyFraming framing, std::uint64_t content_length) const override {
    switch (framing) {
      case BodyFraming::kNone:
        return Parser::is_done();
      case BodyFraming::kContentLength:
        return !Parser::chunked() && length() == content_length;
      case BodyFraming::kChunked:
        return Parser::chunked() && !Parser::is_done();
      case BodyFraming::kUntilClose:
        return Parser::need_eof() && !Parser::is_done();
    }
    return false;
  }

 private:
  std::uint64_t length() const {
    const auto announced = Parser::content_length();
    return announced ? *announced : std::numeric_limits<std::uint64_t>::max();
  }
  std::size_t keep(BeastString piece) {
    if (!piece.empty() && this->out != nullptr) this->out->emplace_back(piece.data(), piece.size());
    return piece.size();
  }

  void on_request_impl(beast_http::verb, BeastString, BeastString, int, error_code&) override {}
  void on_response_impl(int, BeastString, int, error_code&) override {}
  void on_field_impl(beast_http::field, BeastString, BeastString, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BeastString piece, error_code&) override { return keep(piece); }
  void on_chunk_header_impl(std::uint64_t size, BeastString, error_code&) override {
    this->chunk_left = size;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, BeastString piece, error_code&) override {
    this->chunk_left -= piece.size();
    return keep(piece);
  }
  void on_finish_impl(error_code&) override {}
};

PushParser::PushParser(Kind kind, bool no_body) {
  if (kind == Kind::kRequest) {
    engine_ = std::make_unique<Sink<true>>(no_body);
  } else {
    engine_ = std::make_unique<Sink<false>>(no_body);
  }
}
PushParser::~PushParser() = default;
PushParser::PushParser(PushParser&&) noexcept = default;
PushParser& PushParser::operator=(PushParser&&) noexcept = default;

bool PushParser::done() const { return engine_->done(); }

Accepted<void> PushParser::head(std::string_view raw, BodyFraming framing,
                                std::uint64_t content_length) {
  framing_ = framing;
  error_code ec;
  const auto used = engine_->put(raw, ec);
  if (ec || used != raw.size()) return refuse("the head is not well formed");
  if (!engine_->delimits(framing, content_length))
    return refuse("the length of the body is in doubt");
  return {};
}

Accepted<std::size_t> PushParser::body(std::string_view in, BodySpans& out) {
  std::size_t used = 0;
  while (!done() && used < in.size()) {
    const auto rest = in.substr(used);
    const bool between_chunks = framing_ == BodyFraming::kChunked && engine_->chunk_left == 0;
    auto taken = between_chunks ? chunk_line(rest) : put(rest, out);
    if (!taken) return taken;
    used += *taken;
  }
  return used;
}

// Beast wants a chunk's size line, and the trailers, in one piece: they are gathered line by line.
Accepted<std::size_t> PushParser::chunk_line(std::string_view in) {
  const auto lf = in.find('\n');
  const auto piece = in.substr(0, lf == std::string_view::npos ? lf : lf + 1);
  if (line_.size() + piece.size() > kMaxChunkLine) {
    return refuse("a chunk's size line, or the trailers, exceed 8 KiB");
  }
  line_.append(piece);
  if (lf == std::string_view::npos) return piece.size();
  // Beast asserts, instead of refusing, when a lone LF follows the last chunk's size.
  if (!ends_with_crlf(line_))
    return refuse("a line of the chunked body ends with LF instead of CRLF");

  error_code ec;
  const auto used = engine_->put(line_, ec);
  if (ec && ec != beast_http::error::need_more)
    return refuse("the chunked body is not well formed");
  line_.erase(0, used);
  return piece.size();
}

Accepted<std::size_t> PushParser::put(std::string_view in, BodySpans& out) {
  const auto piece = framing_ == BodyFraming::kChunked ? in.substr(0, engine_->chunk_left) : in;
  error_code ec;
  engine_->out = &out;
  const auto used = engine_->put(piece, ec);
  engine_->out = nullptr;
  if ((ec && ec != beast_http::error::need_more) || used == 0)
    return refuse("the body is not well formed");
  return used;
}

bool PushParser::finish() {
  if (done()) return true;
  if (framing_ != BodyFraming::kUntilClose) return false;
  error_code ec;
  engine_->put_eof(ec);
  return !ec;
}

}  // namespace berth::http
