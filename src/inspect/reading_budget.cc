#include "inspect/reading_budget.h"

namespace berth::inspect {

std::string_view ReadingBudget::text_of(JsonValue value) {
  if (first_char(value) != '"') return {};
  const std::string_view raw = scalar_token(value);
  if (raw.size() > text_) return raw.substr(1, raw.size() - 2);
  text_ -= raw.size();
  return inspect::text_of(value);
}

}  // namespace berth::inspect
