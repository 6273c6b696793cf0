#include "gateway/state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "config/read_file.h"

namespace berth::gateway {

namespace {

using nlohmann::json;

constexpr std::uint64_t kSchema = 1;
// Beyond these a number is damage. Sums of them, as nanoseconds or over all bindings, fit into 63
// bits.
constexpr std::uint64_t kMostIdleMs = 10ull * 365 * 24 * 3600 * 1000;   // ten years
constexpr std::uint64_t kMostUnixMs = 200ull * 365 * 24 * 3600 * 1000;  // about the year 2170
constexpr std::uint64_t kMostTokens = 1'000'000'000;
constexpr std::uint64_t kMostTurns = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxFileBytes = 512ull * 1024 * 1024;

std::string why() { return std::strerror(errno); }

Result<void> write_whole(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".new";
  // What a crash left there, or whoever else, is not written through: it might be a link or a pipe.
  ::unlink(temporary.c_str());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fail(ErrorCode::kIo, fmt::format("cannot write {}: {}", temporary, why()));
  std::size_t done = 0;
  bool ok = true;
  while (ok && done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    ok = n > 0;
    if (ok) done += static_cast<std::size_t>(n);
  }
  ok = ok && ::fsync(fd) == 0;
  const std::string reason = ok ? "" : why();
  ::close(fd);
  if (!ok || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string told = reason.empty() ? why() : reason;
    ::unlink(temporary.c_str());
    return fail(ErrorCode::kIo, fmt::format("cannot write {}: {}", path, told));
  }
  return {};
}

Result<std::string> read_whole(const std::string& path) {
  Result<std::string> text = config::read_file(path, kMaxFileBytes);
  if (text) return text;
  const bool missing = text.error().code == ErrorCode::kNotFound;
  return fail(missing ? ErrorCode::kNotFound : ErrorCode::kIo,
              config::cannot_read(path, text.error().message));
}

json to_json(const routing::SavedBinding& b) {
  json j{{"tenant", b.key.tenant},
         {"model", b.key.model},
         {"session", b.key.session},
         {"agent", b.key.agent},
         {"identity", static_cast<int>(b.identity)},
         {"replica", b.replica_label},
         {"idle_ms", std::chrono::duration_cast<std::chrono::milliseconds>(b.idle).count()},
         {"kept_ms", std::chrono::duration_cast<std::chrono::milliseconds>(b.kept).count()},
         {"tokens", b.tokens},
         {"turns", b.turns}};
  if (b.chain_end) j["chain_end"] = *b.chain_end;
  return j;
}

// A whole number from 0 to `most`. Without the check a number of another kind or size would be
// converted into some other number, or overflow what is computed with it.
std::uint64_t number(const json& from, const char* name, std::uint64_t most) {
  const json& value = from.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw std::out_of_range(fmt::format("{} is not a whole number from 0 to {}", name, most));
  }
  return value.get<std::uint64_t>();
}

// Throws a std::exception on any field that is missing, of the wrong type or out of range;
// load_bindings turns that into a value. This is start-up code, off the data path.
routing::SavedBinding from_json(const json& j, Duration age) {
  routing::SavedBinding b;
  b.key.tenant = j.at("tenant").get<std::string>();
  b.key.model = j.at("model").get<std::string>();
  b.key.session = j.at("session").get<std::string>();
  b.key.agent = j.at("agent").get<std::string>();
  b.identity = static_cast<routing::IdentitySource>(
      number(j, "identity", static_cast<std::uint64_t>(routing::IdentitySource::kContent)));
  b.replica_label = j.at("replica").get<std::string>();
  b.idle = std::chrono::milliseconds(number(j, "idle_ms", kMostIdleMs)) + age;
  if (j.contains("kept_ms")) {  // files of the first versions have none
    b.kept = std::chrono::milliseconds(number(j, "kept_ms", kMostIdleMs));
  }
  b.tokens = number(j, "tokens", kMostTokens);
  b.turns = number(j, "turns", kMostTurns);
  if (j.contains("chain_end")) {
    b.chain_end = number(j, "chain_end", std::numeric_limits<routing::ChainHash>::max());
  }
  return b;
}

// An id that is not UTF-8 is stored with replacement characters: such a conversation is placed
// anew.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::int64_t unix_ms(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

Result<void> make_state_directory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot make the state directory {}: {}", directory, why()));
  }
  return {};
}

Result<KeyedHash> open_state_key(const std::string& directory) {
  const std::string path = directory + "/key";
  Result<std::string> text = read_whole(path);
  KeyedHash::Key key;
  if (text && text->size() == key.size()) {
    std::memcpy(key.data(), text->data(), key.size());
    return KeyedHash(key);
  }
  if (!text && text.error().code != ErrorCode::kNotFound) return tl::unexpected(text.error());
  if (text)
    return fail(ErrorCode::kIo,
                fmt::format("{} is damaged: {} bytes instead of {}; remove it to start "
                            "with a new key",
                            path, text->size(), key.size()));
  const KeyedHash fresh = KeyedHash::random();
  const std::string_view bytes(reinterpret_cast<const char*>(fresh.key().data()),
                               fresh.key().size());
  if (Result<void> written = write_whole(path, bytes); !written)
    return tl::unexpected(written.error());
  return fresh;
}

Result<void> save_bindings(const std::string& directory, const SavedModels& models,
                           WallTime saved_at) {
  // One binding after the other: all of a full table as JSON values would take a gigabyte.
  std::string text =
      fmt::format(R"({{"schema":{},"saved_at_unix_ms":{},"models":{{)", kSchema, unix_ms(saved_at));
  for (const auto& [name, bindings] : models) {
    if (text.back() != '{') text += ',';
    text += dump(name) + ":[";
    for (const routing::SavedBinding& binding : bindings) {
      if (text.back() != '[') text += ',';
      text += dump(to_json(binding));
    }
    text += ']';
  }
  text += "}}";
  return write_whole(directory + "/bindings.json", text);
}

Result<SavedModels> load_bindings(const std::string& directory, WallTime now) {
  const std::string path = directory + "/bindings.json";
  const Result<std::string> text = read_whole(path);
  if (!text) return tl::unexpected(text.error());
  try {
    const json root = json::parse(*text);
    const std::uint64_t schema = number(root, "schema", std::numeric_limits<std::uint32_t>::max());
    if (schema != kSchema) {
      return fail(ErrorCode::kIo,
                  fmt::format("{} has schema {}, this version reads {}", path, schema, kSchema));
    }
    const auto saved_at = static_cast<std::int64_t>(number(root, "saved_at_unix_ms", kMostUnixMs));
    const std::int64_t age_ms = std::max<std::int64_t>(0, unix_ms(now) - saved_at);
    SavedModels models;
    for (const auto& [name, list] : root.at("models").items()) {
      auto& bindings = models[name];
      for (const json& item : list)
        bindings.push_back(from_json(item, std::chrono::milliseconds(age_ms)));
    }
    return models;
  } catch (const std::exception& error) {
    return fail(ErrorCode::kIo, fmt::format("{} is damaged: {}", path, error.what()));
  }
}

}  // namespace berth::gateway
