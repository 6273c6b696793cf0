#include "inspect/content_hash.h"

namespace berth::inspect {
namespace {

constexpr char kMark = static_cast<char>(0xFF);

bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

void ContentHash::update(const void* data, std::size_t size) {
  if (!used_) XXH3_64bits_reset(&state_);
  used_ = true;
  XXH3_64bits_update(&state_, data, size);
}

void ContentHash::text(std::string_view text) {
  if (text.empty()) return;
  if (texts_ < first_texts_.size()) first_texts_[texts_++] = text;
  last_text_ = text;
  update(text.data(), text.size());
}

void ContentHash::mark(char kind) {
  const char bytes[2] = {kMark, kind};
  update(bytes, sizeof bytes);
}

void ContentHash::bytes(std::string_view bytes) {
  number(bytes.size());
  update(bytes.data(), bytes.size());
}

void ContentHash::number(std::uint64_t value) { update(&value, sizeof value); }

void ContentHash::json(std::string_view raw) {
  bool in_string = false;
  std::size_t run = 0;  // where the bytes not yet hashed begin
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (is_json_space(c)) {
      update(raw.data() + run, i - run);
      run = i + 1;
    }
  }
  if (run < raw.size()) update(raw.data() + run, raw.size() - run);
}

std::uint64_t ContentHash::digest() const { return used_ ? XXH3_64bits_digest(&state_) : 0; }

std::uint64_t chain_link(std::uint64_t before, std::uint64_t message) {
  return XXH3_64bits_withSeed(&message, sizeof message, before);
}

}  // namespace berth::inspect
