// A configuration in the making: what the layers have said so far and what is wrong with it.
// Private to load().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/keys.h"
#include "config/node.h"
#include "config/problems.h"
#include "config/schema.h"

namespace berth::config {

struct Draft {
  Config config;
  Problems problems;
  std::map<std::string, Origin> origins;  // by the keys of Config::sources

  // Where a value came from; of no place when it is a default.
  Origin origin(const std::string& key) const {
    const auto found = origins.find(key);
    return found == origins.end() ? Origin{} : found->second;
  }
};

// The server of that normalised URL, or null.
Server* find_server(Config& config, const std::string& url);

// Layer 2, the file: `path` is how errors and sources name it.
void apply_file(const std::string& path, const Table& root, Draft& draft);

// The lists of the file: [[server]], [[model]], [[client_key]]. Each takes one list; models come
// last, since they refer to servers wherever those stand in the file.
void apply_servers(const std::string& path, const List& entries, Draft& draft);
void apply_models(const std::string& path, const List& entries, Draft& draft);
void apply_client_keys(const std::string& path, const List& entries, Draft& draft);

// Layer 3, the environment: see docs/config.md for the names.
void apply_environment(const std::map<std::string, std::string>& environment, Draft& draft);

// Layer 4, the command line.
void apply_flags(const std::map<std::string, std::string>& flags, Draft& draft);

// Servers named by a variable or on the command line take the place of those before; one of the
// same URL keeps its settings.
void replace_servers(const std::vector<std::string>& urls, const Origin& origin, Draft& draft);

// Reads every file that holds a secret, and gives the common upstream key to the servers without
// one.
void read_secrets(Draft& draft);

// What no single value shows: collisions, contradictions, openness. Adds problems and warnings.
void check_together(Draft& draft);

}  // namespace berth::config
