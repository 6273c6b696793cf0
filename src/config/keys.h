// The keys of the configuration: name, place in Config, limits, and what a reload does with it.
// Everything that reads, prints, compares or documents the configuration goes over these tables, so
// a key is declared once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/schema.h"
#include "config/value.h"

namespace berth::config {

// What SIGHUP does with a changed value.
enum class OnChange : std::uint8_t {
  kReload,   // takes it over
  kRestart,  // needs a restart; until then the old value stays in use
};

// One key of a T: of Config by its full name ("timeouts.drain"), of a list entry by its own
// ("url").
template <typename T>
struct Key {
  std::string_view name;
  Slot (*slot)(T&);
  Rule rule = {};
  OnChange on_change = OnChange::kReload;
  // What check-config says when nothing is set, and beside a zero.
  std::string_view when_empty = "(none)";
  std::string_view when_zero = "";
};

std::span<const Key<Config>> config_keys();  // all but the lists
std::span<const Key<Server>> server_keys();
std::span<const Key<Model>> model_keys();

// A [[client_key]] entry as written; exactly one of the last three is given.
struct ClientKeyEntry {
  std::string name;
  std::optional<Secret> key;
  std::string key_file;
  std::string sha256;
};
std::span<const Key<ClientKeyEntry>> client_key_keys();

// Keys of [[model]] that only make servers of the model known: they end up in Config::servers.
inline constexpr std::string_view kModelServer = "server";
inline constexpr std::string_view kModelRanks = "data_parallel_size";
inline constexpr Rule kRanksRule{.min = 1, .max = 1'024};

// The slot of a value that is only read.
template <typename T>
Slot slot_of(const Key<T>& key, const T& object) {
  return key.slot(
      const_cast<T&>(object));  // slots do not say const; show() and same_value() only read
}

template <typename T>
const Key<T>* find_key(std::span<const Key<T>> keys, std::string_view name) {
  for (const Key<T>& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

// "timeouts.drain" -> BERTH_TIMEOUTS_DRAIN: upper case, '_' for '.', and `defaults.` left out.
std::string variable_name(std::string_view key);
// "defaults.max_num_seqs" -> --max-num-seqs: the last part, '-' for '_'.
std::string flag_name(std::string_view key);

// How the sources map and error messages name a value of a list entry:
// `server[http://gpu0:8000].api_key`.
std::string entry_key(std::string_view list, std::string_view entry, std::string_view key);

}  // namespace berth::config
