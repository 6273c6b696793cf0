// Whole files, for the readers of traces.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace berth::sim {

// kIo with the path and the system's reason.
Result<std::string> read_file(const std::string& path);
// The path itself if it is no folder; else what is in it with that ending, by name. kIo when that
// is nothing.
Result<std::vector<std::string>> files_of(const std::string& path, const std::string& ending);

// What is wrong at a line of a file: "PATH:LINE: FIELD: WHAT".
tl::unexpected<Error> wrong_row(const std::string& path, std::size_t line, const std::string& field,
                                const std::string& what);

}  // namespace berth::sim
