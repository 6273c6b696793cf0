#include "config/file_paths.h"

#include <filesystem>

namespace berth::config {
namespace {

void rebase(const std::string& file, std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (path.empty() || path == "-" || folder.empty()) return;
  if (std::filesystem::path(path).is_relative()) path = (folder / path).lexically_normal().string();
}

}  // namespace

void rebase_path(const std::string& file, const Rule& rule, const Slot& slot) {
  if (rule.text != Text::kPath && rule.text != Text::kOutput) return;
  if (auto* const* text = std::get_if<std::string*>(&slot)) rebase(file, **text);
  if (auto* const* text = std::get_if<std::optional<std::string>*>(&slot)) {
    if ((*text)->has_value()) rebase(file, ***text);
  }
}

}  // namespace berth::config
