#include "engine/step_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/presets.h"

namespace berth::engine {
namespace {

using ::testing::HasSubstr;

// What somebody would measure.
std::vector<MeasuredSpan> usual_spans(std::uint32_t budget) {
  return {prompt_span(500, 0, budget, 0),
          prompt_span(4'000, 0, budget, 0),
          prompt_span(20'000, 0, budget, 0),
          prompt_span(20'000, 16'000, budget, 0),
          decode_span(1, 500, 0),
          decode_span(1, 20'000, 0),
          decode_span(8, 500, 0),
          decode_span(8, 4'000, 0)};
}

TEST(PromptSpan, CutsThePromptIntoSteps) {
  const MeasuredSpan span = prompt_span(5'000, 1'000, 2'048, 1.5);
  EXPECT_EQ(span.steps, 2u);
  EXPECT_EQ(span.load.prefill_tokens, 4'000u);
  // (5,000^2 - 1,000^2) / 2, however it is cut.
  EXPECT_DOUBLE_EQ(span.load.attention, 12e6);
  EXPECT_DOUBLE_EQ(span.seconds, 1.5);
}

TEST(FitStepTime, FindsTheConstantsOfEveryPreset) {
  for (const Preset& preset : presets()) {
    std::vector<MeasuredSpan> spans = usual_spans(preset.spec.max_num_batched_tokens);
    const StepTime& truth = preset.spec.step;
    for (MeasuredSpan& span : spans) span.seconds = predicted_seconds(truth, span);
    const Result<StepTime> found = fit_step_time(spans);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NEAR(found->base / truth.base, 1, 1e-6) << preset.name;
    EXPECT_NEAR(found->prefill_token / truth.prefill_token, 1, 1e-6);
    EXPECT_NEAR(found->decode_seq / truth.decode_seq, 1, 1e-6);
    EXPECT_NEAR(found->decode_context_token / truth.decode_context_token, 1, 1e-6);
    EXPECT_NEAR(found->attention / truth.attention, 1, 1e-6);
  }
}

TEST(FitStepTime, ToleratesTheErrorsOfMeasuring) {
  const StepTime truth = presets().front().spec.step;
  std::vector<MeasuredSpan> spans = usual_spans(2'048);
  std::mt19937_64 random(4);
  for (MeasuredSpan& span : spans) {
    const double noise = static_cast<double>(random() % 2'001) / 1e5 - 0.01;  // 1 %
    span.seconds = predicted_seconds(truth, span) * (1 + noise);
  }
  const Result<StepTime> found = fit_step_time(spans);
  ASSERT_TRUE(found) << found.error().message;
  for (const MeasuredSpan& span : spans) {
    EXPECT_NEAR(predicted_seconds(*found, span) / span.seconds, 1, 0.02);
  }
}

TEST(FitStepTime, NoConstantIsNegative) {
  // Longer contexts that take less time.
  std::vector<MeasuredSpan> spans = usual_spans(2'048);
  StepTime odd = presets().front().spec.step;
  odd.decode_context_token = -0.2e-6;
  for (MeasuredSpan& span : spans) span.seconds = predicted_seconds(odd, span);
  const Result<StepTime> found = fit_step_time(spans);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->decode_context_token, 0);
  for (const double value : {found->base, found->prefill_token, found->decode_seq}) {
    EXPECT_GE(value, 0);
  }
}

TEST(FitStepTime, SaysWhatToMeasureWhenTheTimesDoNotTell) {
  const auto message = [](std::vector<MeasuredSpan> spans) {
    const auto found = fit_step_time(spans);
    return found ? std::string("nothing") : found.error().message;
  };
  const StepTime truth;
  std::vector<MeasuredSpan> spans = usual_spans(2'048);
  for (MeasuredSpan& span : spans) span.seconds = predicted_seconds(truth, span);
  EXPECT_THAT(message({}), HasSubstr("base"));
  EXPECT_THAT(message({spans.begin(), spans.begin() + 4}), HasSubstr("decode_seq"));
  EXPECT_THAT(message({spans.begin() + 4, spans.end()}), HasSubstr("prefill_token"));
  // One length of context: sequences and context grow together.
  std::vector<MeasuredSpan> one_context(spans.begin(), spans.begin() + 5);
  one_context.push_back(spans[6]);
  EXPECT_THAT(message(one_context),
              HasSubstr("decode_context_token: measure decodes behind different lengths"));
  spans[2].seconds = 0;
  EXPECT_THAT(message(spans), HasSubstr("above 0"));
}

}  // namespace
}  // namespace berth::engine
