#include "engine/end_heap.h"

#include <utility>

namespace berth::engine {

std::optional<EndHeap::End> EndHeap::first() const {
  return heap_.empty() ? std::nullopt : std::optional<End>(heap_.front());
}

bool EndHeap::before(const End& a, const End& b) {
  return a.at != b.at ? a.at < b.at : a.rank < b.rank;
}

void EndHeap::set(std::uint32_t rank, std::optional<Instant> at) {
  std::size_t place = place_[rank];
  if (!at) {
    if (place != kNowhere) remove(place);
    return;
  }
  const End end{.at = *at, .rank = rank};
  if (place == kNowhere) {
    place = heap_.size();
    heap_.push_back(end);
    sift_up(place, end);
  } else if (before(end, heap_[place])) {
    sift_up(place, end);
  } else {
    sift_down(place, end);
  }
}

void EndHeap::remove(std::size_t place) {
  place_[heap_[place].rank] = kNowhere;
  const End last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && before(last, heap_[(place - 1) / 2])) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

void EndHeap::put(std::size_t place, const End& end) {
  heap_[place] = end;
  place_[end.rank] = place;
}

void EndHeap::sift_up(std::size_t place, const End& end) {
  while (place > 0 && before(end, heap_[(place - 1) / 2])) {
    const std::size_t parent = (place - 1) / 2;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, end);
}

void EndHeap::sift_down(std::size_t place, const End& end) {
  for (std::size_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], end)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, end);
}

}  // namespace berth::engine
