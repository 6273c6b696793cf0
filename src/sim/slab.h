// Storage for things that come and go by the million: a place is used again, a number never is. So
// memory follows what is there at once, and an event about something gone finds nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace berth::sim {

template <typename T>
class Slab {
 public:
  // The number is never 0.
  std::uint64_t add(T value) {
    std::uint32_t place = 0;
    if (free_.empty()) {
      place = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[place];
    ++slot.life;
    slot.used = true;
    slot.value = std::move(value);
    ++size_;
    return slot.life << 32U | place;
  }

  // Null when it is gone. Valid until it is removed.
  T* find(std::uint64_t number) {
    const auto place = static_cast<std::uint32_t>(number);
    if (place >= slots_.size()) return nullptr;
    Slot& slot = slots_[place];
    return slot.used && slot.life == number >> 32U ? &slot.value : nullptr;
  }

  void remove(std::uint64_t number) {
    if (find(number) == nullptr) return;
    const auto place = static_cast<std::uint32_t>(number);
    slots_[place].used = false;
    slots_[place].value = T{};
    free_.push_back(place);
    --size_;
  }

  std::size_t size() const { return size_; }

  // f(number, value), in the order of places.
  template <typename F>
  void for_each(F&& f) {
    for (std::uint32_t place = 0; place < slots_.size(); ++place) {
      Slot& slot = slots_[place];
      if (slot.used) f(slot.life << 32U | place, slot.value);
    }
  }

 private:
  struct Slot {
    std::uint64_t life = 0;
    bool used = false;
    T value{};
  };
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace berth::sim
