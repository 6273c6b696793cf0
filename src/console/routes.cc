#include "console/routes.h"

#include <optional>

#include "base/check.h"

namespace berth::console {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::optional<Endpoint> fixed_path(std::string_view path) {
  if (path == "/metrics") return Endpoint::kMetrics;
  if (path == "/healthz") return Endpoint::kHealthz;
  if (path == "/readyz") return Endpoint::kReadyz;
  if (path == "/api/snapshot") return Endpoint::kSnapshot;
  if (path == "/api/explain") return Endpoint::kExplain;
  return std::nullopt;
}

bool take_suffix(std::string_view& path, std::string_view suffix) {
  if (!path.ends_with(suffix)) return false;
  path.remove_suffix(suffix.size());
  return true;
}

Result<Route> decoded(Endpoint endpoint, std::string_view model, std::string_view replica) {
  auto model_name = percent_decoded(model);
  auto label = percent_decoded(replica);
  if (!model_name || !label) {
    return fail(ErrorCode::kBadRequest, "A % in the path is not followed by two hex digits.");
  }
  return Route{endpoint, std::move(*model_name), std::move(*label)};
}

}  // namespace

Result<Route> find_route(std::string_view path) {
  if (const auto endpoint = fixed_path(path)) return Route{*endpoint, {}, {}};
  constexpr std::string_view kModels = "/api/models/";
  constexpr std::string_view kReplicas = "/replicas/";
  if (path.starts_with(kModels)) {
    std::string_view rest = path.substr(kModels.size());
    if (take_suffix(rest, "/routing")) {
      if (!rest.empty()) return decoded(Endpoint::kRouting, rest, {});
    } else if (take_suffix(rest, "/drain")) {
      const auto middle = rest.rfind(kReplicas);
      if (middle != std::string_view::npos && middle > 0 &&
          middle + kReplicas.size() < rest.size()) {
        return decoded(Endpoint::kDrain, rest.substr(0, middle),
                       rest.substr(middle + kReplicas.size()));
      }
    }
  }
  return fail(ErrorCode::kNotFound,
              "There is no such path here. What exists: " + std::string(known_paths()));
}

std::string_view allowed_methods(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kMetrics:
    case Endpoint::kHealthz:
    case Endpoint::kReadyz:
    case Endpoint::kSnapshot:
      return "GET, HEAD";
    case Endpoint::kExplain:
    case Endpoint::kDrain:
      return "POST";
    case Endpoint::kRouting:
      return "PUT";
  }
  BERTH_CHECK(false && "unknown endpoint");
  return "";
}

bool method_allowed(Endpoint endpoint, std::string_view method) {
  const std::string_view allowed = allowed_methods(endpoint);
  if (allowed == "GET, HEAD") return method == "GET" || method == "HEAD";
  return method == allowed;
}

std::string_view known_paths() {
  return "GET /metrics, GET /healthz, GET /readyz, GET /api/snapshot, POST /api/explain, "
         "PUT /api/models/{model}/routing, POST /api/models/{model}/replicas/{label}/drain.";
}

}  // namespace berth::console
