// The effective configuration as rows, for check-config and for the comparison at a reload.
#pragma once

#include <string>
#include <vector>

#include "config/schema.h"
#include "config/value.h"

namespace berth::config {

struct Row {
  std::string key;   // as in Config::sources
  std::string name;  // as in the file, within its entry or whole: "timeouts.drain", "api_key"
  std::string
      value;  // as in the file, without quotes; "(set)" for a secret; empty if nothing is set
  std::string note;    // what an unset or a special value comes to: "(none)", "(off)"; else empty
  std::string source;  // "default", "berth.toml:7", "BERTH_LISTEN", "--listen"
  std::string type;    // type_name() of the value
};

// One entry of a list, or everything outside of the lists.
struct Group {
  std::string list;   // "server", "model", "client_key", or empty
  std::string entry;  // what names the entry: url, name
  std::vector<Row> rows;
};

// Everything, in the order of docs/config.md: first the one group without a list, then servers,
// models and client keys. A model's routing settings are the effective ones, with the source of the
// default they take.
std::vector<Group> list_settings(const Config& config);

}  // namespace berth::config
