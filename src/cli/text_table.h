// A table in the terminal: aligned columns and a bold heading. Where the terminal is too narrow for
// all columns, the table goes on below with the next columns and the first one again, so nothing is
// lost.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"

namespace berth::cli {

struct Cell {
  std::string text = {};
  Style style = Style::kPlain;
};

struct Column {
  std::string name;
  bool right = true;  // numbers align right
};

class TextTable {
 public:
  // The first column names the row and is repeated in every part.
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell a column, in their order.
  void add_row(std::vector<Cell> cells);
  // A line across before the next row.
  void add_rule() { rules_.push_back(rows_.size()); }

  // Every line ends with a newline and has no blanks before it; an empty line parts the parts.
  std::string text(const Terminal& terminal) const;

 private:
  using Part = std::vector<std::size_t>;  // the columns shown, by index

  std::vector<std::size_t> widths() const;
  std::string part_text(const Part& part, const std::vector<std::size_t>& widths,
                        const Terminal& terminal) const;
  std::string line(const std::vector<Cell>& cells, const Part& part,
                   const std::vector<std::size_t>& widths, const Terminal& terminal) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> rules_;
};

}  // namespace berth::cli
