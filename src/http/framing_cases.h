// Reads tests/framing/cases.txt; the file says its own format. For tests.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace berth::http {

struct FramingCase {
  std::string name;
  int refused_with = 0;  // 0: accepted
  std::string bytes;
};

// Undoes the escapes of a `raw` line.
inline std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'r':
        out += '\r';
        break;
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'x':
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

// Throws when the file is not there or not of that format.
inline std::vector<FramingCase> read_framing_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<FramingCase> cases;
  for (std::string line; std::getline(file, line);) {
    const auto is = [&line](std::string_view key) { return line.compare(0, key.size(), key) == 0; };
    if (line.empty() || line[0] == '#') continue;
    if (is("name: ")) {
      cases.push_back({line.substr(6), -1, {}});
    } else if (is("expect: ") && !cases.empty()) {
      cases.back().refused_with = line == "expect: accept" ? 0 : std::stoi(line.substr(8));
    } else if (is("raw: ") && !cases.empty()) {
      cases.back().bytes += unescape(std::string_view(line).substr(5));
    } else {
      throw std::runtime_error(path + ": not understood: " + line);
    }
  }
  return cases;
}

}  // namespace berth::http
