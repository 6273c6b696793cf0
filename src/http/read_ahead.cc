#include "http/read_ahead.h"

#include <utility>

namespace berth::http {
namespace {

constexpr std::size_t kSmallRead = std::size_t{8} * 1024;
constexpr std::size_t kBigRead = std::size_t{64} * 1024;

}  // namespace

ReadAhead::ReadAhead(net::Stream& stream, std::size_t keep_bytes)
    : stream_(&stream), keep_bytes_(keep_bytes), wake_(stream.get_executor()) {}

std::string_view ReadAhead::available() const {
  if (kept_taken_ < kept_.size()) return std::string_view(kept_).substr(kept_taken_);
  return landed_;
}

void ReadAhead::take(std::size_t count) {
  if (kept_taken_ == kept_.size()) {
    landed_.remove_prefix(count);
    return;
  }
  kept_taken_ += count;
  if (kept_taken_ < kept_.size()) return;
  kept_ = std::string();  // gives the memory back
  kept_taken_ = 0;
}

net::Task<ReadAhead::Event> ReadAhead::wait(Instant deadline, bool big) {
  const auto self = shared_from_this();
  while (available().empty()) {
    if (ended_) co_return Event::kEnded;
    start_read(big);
    wake_.expires_at(deadline);
    waiting_ = true;
    co_await wake_.async_wait(net::use_tuple);
    waiting_ = false;
    if (available().empty() && !ended_ && std::chrono::steady_clock::now() >= deadline)
      co_return Event::kTimeout;
  }
  co_return Event::kBytes;
}

void ReadAhead::watch() {
  if (reading_ || ended_) return;
  keep_landed();
  start_read(false);
}

void ReadAhead::keep_landed() {
  kept_.erase(0, kept_taken_);
  kept_taken_ = 0;
  kept_.append(landed_);
  landed_ = {};
}

void ReadAhead::start_read(bool big) {
  if (reading_ || ended_ || stream_ == nullptr || available().size() >= keep_bytes_) return;
  const auto size = big ? kBigRead : kSmallRead;
  if (landing_size_ != size) {
    landing_ = std::make_unique_for_overwrite<char[]>(size);
    landing_size_ = size;
  }
  reading_ = true;
  net::asio::mutable_buffer into(landing_.get(), landing_size_);
  stream_->read_some(into, [self = shared_from_this()](net::error_code ec, std::size_t n) {
    self->finish_read(ec, n);
  });
}

void ReadAhead::finish_read(net::error_code ec, std::size_t count) {
  reading_ = false;
  landed_ = {landing_.get(), count};
  if (ec) ended_ = true;
  if (stream_ == nullptr) return;
  if (!waiting_) watch();
  if (ended_) report_end();
  if (waiting_) wake_.cancel();
}

void ReadAhead::report_end() {
  const auto callback = std::exchange(on_end_, nullptr);
  if (callback) callback();
}

void ReadAhead::on_end(std::function<void()> callback) {
  on_end_ = std::move(callback);
  if (ended_) report_end();
}

void ReadAhead::detach() {
  stream_ = nullptr;
  on_end_ = nullptr;
}

}  // namespace berth::http
