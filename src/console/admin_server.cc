#include "console/admin_server.h"

#include "console/admin_api.h"
#include "console/bodies.h"
#include "http/server.h"

namespace berth::console {
namespace {

net::Task<void> answer_request(std::shared_ptr<const AdminApi> api, const http::Request* request,
                               http::Responder* responder) {
  Answer answer = api->handle(*request->head, request->body);
  co_await responder->reply(answer.status, std::move(answer.content_type), std::move(answer.body),
                            std::move(answer.headers));
}

static_assert(kMaxBodyBytes == 16 * 1024, "the sentence below says so");

http::ReaderLimits admin_limits() {
  http::ReaderLimits limits;
  limits.head_bytes = 16'384;
  limits.body_bytes = kMaxBodyBytes;
  limits.body_limit = "16 KiB, the most that the admin API takes";
  return limits;
}

}  // namespace

struct AdminServer::Impl {
  std::shared_ptr<AdminApi> api;  // shared with handlers that outlive the server for a moment
  std::unique_ptr<http::Server> server;
};

Result<std::unique_ptr<AdminServer>> AdminServer::start(net::asio::io_context& io,
                                                        const AdminOptions& options,
                                                        observe::StatusSource& source,
                                                        const Clock& clock) {
  auto impl = std::make_unique<Impl>();
  HostPolicy hosts{options.host, options.extra_hosts};
  impl->api = std::make_shared<AdminApi>(source, clock, std::move(hosts), options.token);
  auto handler = [api = impl->api](http::Request& request, http::Responder& responder) {
    return answer_request(api, &request, &responder);
  };
  auto server = http::Server::listen(io, options.host, options.port, admin_limits(), handler);
  if (!server) return tl::unexpected(server.error());
  impl->server = std::move(*server);
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(impl)));
}

AdminServer::AdminServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AdminServer::~AdminServer() = default;
std::uint16_t AdminServer::port() const { return impl_->server->port(); }
void AdminServer::set_token(std::string token) { impl_->api->set_token(std::move(token)); }
void AdminServer::set_extra_hosts(std::vector<std::string> hosts) {
  impl_->api->set_extra_hosts(std::move(hosts));
}
void AdminServer::stop() { impl_->server->stop(); }

}  // namespace berth::console
