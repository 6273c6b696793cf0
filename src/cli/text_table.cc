#include "cli/text_table.h"

#include <algorithm>

#include "base/check.h"

namespace berth::cli {
namespace {

constexpr std::size_t kGap = 2;

// Column indices a part, each part within the terminal's width; one column besides the first at
// least.
std::vector<std::vector<std::size_t>> parts_of(const std::vector<std::size_t>& widths,
                                               const Terminal& terminal) {
  std::vector<std::vector<std::size_t>> parts{{0}};
  std::size_t width = widths[0];
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const std::size_t wider = width + kGap + widths[i];
    if (terminal.width && wider > *terminal.width && parts.back().size() > 1) {
      parts.push_back({0});
      width = widths[0];
    }
    parts.back().push_back(i);
    width += kGap + widths[i];
  }
  return parts;
}

}  // namespace

void TextTable::add_row(std::vector<Cell> cells) {
  BERTH_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const Column& column : columns_) widths.push_back(column.name.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].text.size());
  }
  return widths;
}

// Blanks are held back until a text follows, and stand outside the style, so that none is painted
// or trails.
std::string TextTable::line(const std::vector<Cell>& cells, const Part& part,
                            const std::vector<std::size_t>& widths,
                            const Terminal& terminal) const {
  std::string line;
  std::size_t blanks = 0;
  for (const std::size_t i : part) {
    const Cell& cell = cells[i];
    const std::size_t spare = widths[i] - cell.text.size();
    if (columns_[i].right) blanks += spare;
    if (!cell.text.empty()) {
      line.append(blanks, ' ');
      line += terminal.styled(cell.text, cell.style);
      blanks = 0;
    }
    if (!columns_[i].right) blanks += spare;
    blanks += kGap;
  }
  return line + '\n';
}

std::string TextTable::part_text(const Part& part, const std::vector<std::size_t>& widths,
                                 const Terminal& terminal) const {
  std::vector<Cell> heading;
  heading.reserve(columns_.size());
  for (const Column& column : columns_) heading.push_back({column.name, Style::kBold});
  std::size_t width = 0;
  for (const std::size_t i : part) width += widths[i] + kGap;
  const std::string rule = std::string(width - kGap, '-') + '\n';

  std::string out = line(heading, part, widths, terminal);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (std::find(rules_.begin(), rules_.end(), i) != rules_.end()) out += rule;
    out += line(rows_[i], part, widths, terminal);
  }
  return out;
}

std::string TextTable::text(const Terminal& terminal) const {
  const std::vector<std::size_t> width = widths();
  std::string out;
  for (const Part& part : parts_of(width, terminal)) {
    if (!out.empty()) out += '\n';
    out += part_text(part, width, terminal);
  }
  return out;
}

}  // namespace berth::cli
