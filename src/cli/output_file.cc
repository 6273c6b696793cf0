#include "cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace berth::cli {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path) {
  return fail(ErrorCode::kIo, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

bool write_all(std::FILE* file, const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fflush(file) == 0 && whole;
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path == "-") return OutputFile(path, "");
  std::string draft = path + ".XXXXXX";
  const int made = mkstemp(draft.data());
  if (made < 0) return cannot_write(path);
  close(made);
  return OutputFile(path, std::move(draft));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), draft_(std::exchange(other.draft_, {})) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(draft_, other.draft_);
  return *this;
}

OutputFile::~OutputFile() {
  if (!draft_.empty()) std::remove(draft_.c_str());
}

Result<void> OutputFile::commit(const std::string& text) {
  if (path_ == "-") {
    if (!write_all(stdout, text)) return cannot_write("standard output");
    return {};
  }
  std::FILE* file = std::fopen(draft_.c_str(), "wb");
  if (file == nullptr) return cannot_write(path_);
  const bool written = write_all(file, text);
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(draft_.c_str(), path_.c_str()) != 0) {
    return cannot_write(path_);
  }
  draft_.clear();
  return {};
}

}  // namespace berth::cli
