#include "gateway/server_label.h"

#include <fmt/format.h>

#include "routing/stable_hash.h"

namespace berth::gateway {
namespace {

std::string bounded(std::string label) {
  if (label.size() <= kMaxServerLabel) return label;
  const std::string end = fmt::format("~{:016x}", routing::sip_hash(routing::kStableKey, label));
  label.resize(kMaxServerLabel - end.size());
  return label + end;
}

}  // namespace

std::string server_label(const http::Url& url) { return bounded(url.authority() + url.prefix); }

std::string server_label_with_scheme(const http::Url& url) {
  return bounded((url.tls ? "https://" : "http://") + url.authority() + url.prefix);
}

}  // namespace berth::gateway
