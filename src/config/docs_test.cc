// docs/config.md and docs/berth.toml say what the program does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/keys.h"
#include "config/load.h"
#include "config/names.h"

namespace berth::config {
namespace {

const std::string kDocs = BERTH_DOCS;

std::string read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// The text below a heading, up to the next one of its level.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t start = text.find("\n## " + heading + "\n");
  if (start == std::string::npos) return {};
  return text.substr(start, text.find("\n## ", start + 1) - start);
}

// The cells of the row of a key: kind, default, when changed, meaning. Empty when there is no such
// row.
std::vector<std::string> row_of(const std::string& text, std::string_view key) {
  const std::string begin = "\n| `" + std::string(key) + "` | ";
  const std::size_t start = text.find(begin);
  if (start == std::string::npos) return {};
  std::istringstream line(
      text.substr(start + begin.size(), text.find('\n', start + 1) - start - begin.size()));
  std::vector<std::string> cells;
  for (std::string cell; cells.size() < 4 && std::getline(line, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

template <typename T>
void expect_documented(const std::string& text, const Key<T>& key, const T& defaults) {
  SCOPED_TRACE("key " + std::string(key.name));
  const auto cells = row_of(text, key.name);
  ASSERT_GE(cells.size(), 3u) << "has no row in docs/config.md";
  EXPECT_EQ(cells[0], type_name(slot_of(key, defaults)));
  EXPECT_EQ(cells[2], key.on_change == OnChange::kReload ? "reload" : "restart");
  const std::string value = show(slot_of(key, defaults));
  if (!value.empty()) {
    EXPECT_EQ(cells[1], "`" + value + "`");
  } else {
    EXPECT_NE(cells[1], "") << "say what counts when it is not set";
    EXPECT_THAT(cells[1], testing::Not(testing::StartsWith("`-"))) << "there is no default";
  }
}

TEST(Docs, EveryKeyHasARowWithItsKindDefaultAndReload) {
  const std::string text = read(kDocs + "/config.md");
  for (const Key<Config>& key : config_keys()) expect_documented(text, key, Config{});
  for (const Key<Server>& key : server_keys()) {
    expect_documented(section(text, "`[[server]]`"), key, Server{});
  }
  for (const Key<Model>& key : model_keys())
    expect_documented(section(text, "`[[model]]`"), key, Model{});
  for (const Key<ClientKeyEntry>& key : client_key_keys()) {
    expect_documented(section(text, "`[[client_key]]`"), key, ClientKeyEntry{});
  }
  for (const std::string_view extra : {kModelServer, kModelRanks}) {
    EXPECT_FALSE(row_of(section(text, "`[[model]]`"), extra).empty()) << extra;
  }
}

// The other direction: a key that is gone must not stay in the documentation.
TEST(Docs, EveryRowIsAKey) {
  std::istringstream text(read(kDocs + "/config.md"));
  std::string line;
  std::string heading;
  while (std::getline(text, line)) {
    if (line.starts_with("## ")) heading = line;
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    const bool known =
        heading == "## `[[server]]`"       ? find_key(server_keys(), name) != nullptr
        : heading == "## `[[client_key]]`" ? find_key(client_key_keys(), name) != nullptr
        : heading == "## `[[model]]`"
            ? find_key(model_keys(), name) != nullptr || name == kModelServer || name == kModelRanks
            : find_key(config_keys(), name) != nullptr;
    EXPECT_TRUE(known) << line;
  }
}

TEST(Docs, EveryNameIsExplained) {
  const std::string text = read(kDocs + "/config.md");
  for (const std::string_view name : kIdentityNames) {
    EXPECT_THAT(text, testing::HasSubstr("`" + std::string(name) + "`"));
  }
  for (const std::string_view name : kPolicyNames) {
    EXPECT_THAT(text, testing::HasSubstr("`" + std::string(name) + "`"));
  }
}

TEST(Docs, TheExampleIsValidAndRaisesNoWarning) {
  const auto config = load(kDocs + "/berth.toml", {}, {});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_THAT(config->warnings, testing::IsEmpty());
  EXPECT_EQ(config->models.size(), 2u);
}

// What is commented out in the example is still a key: "# state_dir = ..." must name one.
TEST(Docs, TheExampleCommentsOutOnlyRealKeys) {
  std::istringstream text(read(kDocs + "/berth.toml"));
  std::string line;
  std::size_t seen = 0;
  while (std::getline(text, line)) {
    const std::size_t equals = line.find(" = ");
    if (!line.starts_with("# ") || equals == std::string::npos) continue;
    const std::string name = line.substr(2, equals - 2);
    EXPECT_TRUE(find_key(config_keys(), name) != nullptr ||
                find_key(server_keys(), name) != nullptr)
        << line;
    ++seen;
  }
  EXPECT_GE(seen, 4u);
}

}  // namespace
}  // namespace berth::config
