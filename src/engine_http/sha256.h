// SHA-256 of bytes that come in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace berth::engine_http {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Lower-case hex of everything added. Once.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace berth::engine_http
