// The sentence inside an engine's error body, for when only an in-stream error can still carry it.
#pragma once

#include <string>
#include <string_view>

namespace berth::inspect {

// `error.message` of a JSON body, or `error` or `message` where those are strings; else the body
// itself, cut to a length fit for one event.
std::string error_message_of(std::string_view body);

}  // namespace berth::inspect
