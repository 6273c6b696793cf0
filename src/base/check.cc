#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "berth: check failed: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace berth
