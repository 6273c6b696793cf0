// Why a message head or body was not accepted, and the status a client is answered with.
//
// The sentences are constants: they never quote the peer's bytes, which may hold a credential or a
// prompt.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/result.h"

namespace berth::http {

struct Refusal {
  int status = 400;
  ErrorCode code = ErrorCode::kBadRequest;
  std::string_view message;  // static storage

  Error error() const { return Error{code, std::string(message)}; }
};

template <typename T>
using Accepted = tl::expected<T, Refusal>;

// A request that is malformed, or whose framing leaves a doubt.
inline tl::unexpected<Refusal> refuse(std::string_view message) {
  return tl::unexpected<Refusal>(Refusal{400, ErrorCode::kBadRequest, message});
}
inline tl::unexpected<Refusal> refuse(int status, ErrorCode code, std::string_view message) {
  return tl::unexpected<Refusal>(Refusal{status, code, message});
}

}  // namespace berth::http
