#include "http/token_list.h"

#include "http/chars.h"
#include "http/head.h"

namespace berth::http {

std::string_view next_list_element(std::string_view& rest) noexcept {
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto element = trim(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (!element.empty()) return element;
  }
  return {};
}

bool list_contains(std::string_view list, std::string_view token) noexcept {
  for (auto element = next_list_element(list); !element.empty();
       element = next_list_element(list)) {
    if (iequals(element, token)) return true;
  }
  return false;
}

}  // namespace berth::http
