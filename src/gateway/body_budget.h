// Bounds the memory all request bodies together may take, over all threads
// (limits.body_bytes_in_memory).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace berth::gateway {

class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) : limit_(limit) {}

  // A reservation, given back when it is destroyed. Empty (false) when the budget is spent.
  class Share {
   public:
    Share() = default;
    Share(BodyBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
    }
    explicit operator bool() const { return budget_ != nullptr; }

   private:
    BodyBudget* budget_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  Share reserve(std::uint64_t bytes) {
    const std::uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes > limit_.load(std::memory_order_relaxed)) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      return {};
    }
    return {this, bytes};
  }
  // At a reload. What is reserved already stays.
  void set_limit(std::uint64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> limit_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace berth::gateway
