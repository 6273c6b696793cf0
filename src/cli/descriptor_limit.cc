#include "cli/descriptor_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace berth::cli {

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return RLIM_INFINITY;
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before.rlim_cur;
}

std::optional<std::string> descriptor_warning(std::uint64_t limit, std::uint32_t connections) {
  const std::uint64_t needed = kDescriptorsAConnection * connections;
  if (limit >= needed) return std::nullopt;
  return fmt::format(
      "this process may open {} files and sockets, but limits.connections = {} may need {}: raise "
      "its hard limit (ulimit -Hn, LimitNOFILE) or lower limits.connections",
      limit, connections, needed);
}

}  // namespace berth::cli
