// Bounds the memory all request bodies together may take, over all threads
// (limits.body_bytes_in_memory).
//
// A body counts as it arrives, never by what its head promises: clients that announce much and send
// nothing take nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace berth::gateway {

class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) : limit_(limit) {}

  // What one body holds of the budget; given back when it is destroyed. Used by one thread at a
  // time, which may be another than the one that made it.
  class Share {
   public:
    // A body grows in steps, so that one that comes in small reads costs few atomic operations.
    static constexpr std::uint64_t kStep = 64 * 1024;

    Share() = default;
    explicit Share(BodyBudget& budget) : budget_(&budget) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (bytes_ > 0) budget_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
    }

    // Holds `bytes` in all, rounded up to a step. False: the budget is spent, nothing changed.
    bool grow_to(std::uint64_t bytes) {
      if (bytes <= bytes_) return true;
      const std::uint64_t wanted = (bytes + kStep - 1) / kStep * kStep;
      if (!budget_->take(wanted - bytes_)) return false;
      bytes_ = wanted;
      return true;
    }

   private:
    BodyBudget* budget_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // At a reload. What is held already stays.
  void set_limit(std::uint64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  bool take(std::uint64_t bytes) {
    const std::uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= limit_.load(std::memory_order_relaxed)) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  std::atomic<std::uint64_t> limit_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace berth::gateway
