// What standard output is: a terminal of some width that may show colour, or a pipe or file that
// gets plain, uncut text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::cli {

enum class Style : unsigned char { kPlain, kBold, kDim, kGood, kWarn, kBad };

struct Terminal {
  std::optional<std::size_t> width;  // in columns; absent: do not cut
  bool colour = false;

  // `text` in a style, or as it is where there is no colour.
  std::string styled(std::string_view text, Style style) const;

  // Of standard output. Colour only on a terminal, and not with NO_COLOR set (no-color.org) or
  // TERM=dumb.
  static Terminal of_stdout();
};

}  // namespace berth::cli
