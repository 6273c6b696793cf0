// Values for what can go wrong: Result<T> is either a T or an Error.
//
// The taxonomy is type x source x retryable; it maps one to one to the `code` of an error body, the
// `error` field of the access log and the `code` label of berth_errors_total, so the set is closed.
// What only a bug can cause is not here: see check.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace berth {

// Who caused the fault.
enum class ErrorSource : std::uint8_t {
  kClient,    // the request, or the client leaving
  kUpstream,  // a replica
  kSelf,      // Berth, its configuration or its machine
};

// The closed set of codes. `error_code_name` gives the stable spelling used on the wire and in
// logs.
enum class ErrorCode : std::uint8_t {
  // client
  kBadRequest,      // malformed HTTP: strict framing refused it
  kBadJson,         // the body is not the JSON the endpoint needs
  kHeadTooLarge,    // limits.head_bytes
  kBodyTooLarge,    // limits.body_bytes
  kRequestTimeout,  // the client did not send its request in time
  kClientGone,      // the client left
  kUnauthorized,    // no or wrong client key
  kNotFound,        // an endpoint Berth does not serve
  kMethodNotAllowed,
  kUnknownModel,  // no such model or alias
  kUnsupported,   // websocket, HTTP/2 preface, Expect other than 100-continue, encoded bodies
  // upstream
  kConnectFailed,  // refused or unreachable
  kConnectTimeout,
  kUpstreamReset,        // closed or reset before the response was whole
  kUpstreamTimeout,      // no byte for timeouts.upstream_idle
  kUpstreamBadResponse,  // a response Berth cannot frame
  kUpstreamError,        // the replica's own answer, too late to be passed on as it came
  kTlsFailed,
  // self
  kNoReplica,   // no replica of the model can take the request now
  kOverloaded,  // a limit of Berth was hit: connections, in flight
  kDraining,    // Berth is shutting down
  kConfig,      // a bad configuration
  kIo,          // file or socket trouble of this machine
  kInternal,
};

std::string_view error_code_name(ErrorCode code) noexcept;
ErrorSource error_source(ErrorCode code) noexcept;

// A fault as a value. `message` is one plain English sentence for the person who has to mend it; it
// names the field, the file and line, or the limit, and never holds a credential or a piece of a
// prompt.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  ErrorSource source() const noexcept { return error_source(code); }
};

template <typename T>
using Result = tl::expected<T, Error>;

// `return fail(ErrorCode::kConfig, "...")` from a function that returns Result<T>.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace berth
