// The admin API as a function from request to answer, without sockets. docs/admin-api.md is its
// manual.
//
// Owner: the AdminServer. Thread: any one at a time. Everything it reads comes from the
// StatusSource, which must outlive it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "console/answer.h"
#include "console/guard.h"
#include "console/routes.h"
#include "http/head.h"
#include "observe/status.h"

namespace berth::console {

class AdminApi {
 public:
  // `token` empty: every write is refused. `clock` must be the one that makes the source's
  // instants.
  AdminApi(observe::StatusSource& source, const Clock& clock, HostPolicy hosts, std::string token);

  // A new token, as after a reload; the same thread as handle().
  void set_token(std::string token) { token_ = std::move(token); }
  void set_extra_hosts(std::vector<std::string> hosts) { hosts_.extra = std::move(hosts); }

  // Checks Host, path, method, Origin and (for writes) token, in this order, and does what was
  // asked.
  Answer handle(const http::RequestHead& head, std::string_view body) const;

 private:
  Answer checked(const http::RequestHead& head, std::string_view body) const;
  Answer dispatch(const Route& route, const http::RequestHead& head, std::string_view body) const;
  Answer metrics() const;
  Answer readiness() const;
  Answer snapshot(const http::RequestHead& head) const;
  Answer explain(std::string_view body) const;
  Answer change_routing(const Route& route, const http::RequestHead& head,
                        std::string_view body) const;
  Answer set_drain(const Route& route, const http::RequestHead& head, std::string_view body) const;

  observe::StatusSource& source_;
  const Clock& clock_;
  HostPolicy hosts_;
  std::string token_;
};

}  // namespace berth::console
