#include "gateway/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::gateway {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(UnknownModel, NamesAFewOfManyAdaptersAndCountsTheRest) {
  ModelTable models({}, 1, Instant{});
  auto server = std::make_shared<UpstreamServer>();
  fleet::ServedModel model;
  model.name = "base";
  for (int i = 0; i < 200; ++i) model.adapters.push_back("lora-" + std::to_string(i));
  models.on_discovered(server, "http://gpu0:8000", {model}, Instant{});
  const std::string text = unknown_model("nope", models).value().message;
  EXPECT_THAT(text, HasSubstr("\"nope\" is not served here; served: \"base\", \"lora-0\""));
  EXPECT_THAT(text, EndsWith(" and 191 more"));
  EXPECT_LT(text.size(), 300u);
}

}  // namespace
}  // namespace berth::gateway
