// Bodies for tests: with the padding the readers ask for.
#pragma once

#include <string>
#include <string_view>

#include "inspect/request_facts.h"

namespace berth::inspect {

// A heap copy whose bytes after the padding a sanitizer guards.
class PaddedBody {
 public:
  explicit PaddedBody(std::string_view text) : bytes_(text), size_(text.size()) {
    bytes_.append(kPadding, '\0');
  }
  std::string_view view() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  std::string bytes_;
  std::size_t size_;
};

inline Result<BodyFacts> facts_of(std::string_view path, std::string_view text) {
  const PaddedBody body(text);
  return read_body_facts(*find_endpoint(path), body.view());
}

}  // namespace berth::inspect
