// A parsed value with its place in a file, free of the parser that made it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace berth::config {

// 1-based; 0 = not from a file.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Node;
using List = std::vector<Node>;

struct Entry;
// In the order of the file, so that "the second [[server]]" is the second one.
using Table = std::vector<Entry>;

// A date or a time: TOML has them, no key of Berth takes one.
struct Date {};

struct Node {
  std::variant<bool, std::int64_t, double, std::string, List, Table, Date> value;
  Position at;
};

struct Entry {
  std::string key;
  Position key_at;
  Node node;
};

// What was found, for an error message: `the number 8080`, `the text "abc"`, `a list`.
std::string describe_node(const Node& node);

}  // namespace berth::config
