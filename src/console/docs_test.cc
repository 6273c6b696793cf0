// docs/admin-api.md names every field that the admin API sends.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "console/explain_json.h"
#include "console/fake_source.h"
#include "console/json.h"
#include "console/snapshot_json.h"

namespace berth::console {
namespace {

void collect_keys(const Json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured()) collect_keys(value, keys);
  }
}

std::string page() {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/docs/admin-api.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AdminApiPage, NamesEveryField) {
  constexpr Instant kNow{std::chrono::hours(5)};
  const FakeSource source = FakeSource::two_ranks(kNow);
  std::set<std::string> keys;
  collect_keys(snapshot_json(source.fleet, kNow), keys);
  collect_keys(explain_json({FakeSource::conversation(kNow)}, source.fleet, source, kNow), keys);
  ASSERT_GT(keys.size(), 50u);
  const std::string text = page();
  ASSERT_FALSE(text.empty());
  for (const std::string& key : keys) {
    const bool named = text.find('`' + key + '`') != std::string::npos ||
                       text.find('"' + key + '"') != std::string::npos;
    EXPECT_TRUE(named) << key;
  }
}

}  // namespace
}  // namespace berth::console
