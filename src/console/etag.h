// Weak entity tags for documents that contain ages.
#pragma once

#include <string>
#include <string_view>

#include "console/json.h"

namespace berth::console {

// A weak tag, quoted and prefixed as it stands in the header, over all of `document` but the values
// of keys that end in "age_s", "since_s" or "uptime_s": those move by themselves, and without them
// the tag of an idle fleet stays the same.
std::string weak_etag(const Json& document);

// Whether an If-None-Match value ("*", or a list of tags) names `etag`, by weak comparison (RFC
// 9110, 8.8.3.2).
bool etag_matches(std::string_view if_none_match, std::string_view etag);

}  // namespace berth::console
