#include "engine/step_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace berth::engine {
namespace {

constexpr std::size_t kConstants = 5;
using Row = std::array<double, kConstants>;

struct Constant {
  const char* name;
  double StepTime::* value;
  const char* advice;
};
constexpr std::array<Constant, kConstants> kTable = {{
    {"base", &StepTime::base, "measure steps that do little: one sequence, a short context"},
    {"prefill_token", &StepTime::prefill_token, "measure prompts of different lengths"},
    {"decode_seq", &StepTime::decode_seq, "measure different numbers of sequences"},
    {"decode_context_token", &StepTime::decode_context_token,
     "measure decodes behind different lengths of context"},
    {"attention", &StepTime::attention,
     "measure a prompt of several times the length of the others"},
}};

// How much of each constant is in the span, over its seconds: the constants solve row * x = 1.
Row row_of(const MeasuredSpan& span) {
  Row row = {static_cast<double>(span.steps), static_cast<double>(span.load.prefill_tokens),
             static_cast<double>(span.load.decode_seqs),
             static_cast<double>(span.load.decode_context), span.load.attention};
  for (double& entry : row) entry /= span.seconds;
  return row;
}

using Rows = std::vector<Row>;

double dot(const Rows& rows, std::size_t a, std::size_t b) {
  double sum = 0;
  for (const Row& row : rows) sum += row[a] * row[b];
  return sum;
}

// The first constant that is nothing but a mixture of those before it, by orthogonalising the
// columns one after the other.
std::optional<std::size_t> undetermined(Rows rows) {
  constexpr double kNothing = 1e-9;  // of the square of a column: errors of the arithmetic
  for (std::size_t column = 0; column < kConstants; ++column) {
    const double whole = dot(rows, column, column);
    for (std::size_t before = 0; before < column; ++before) {
      const double share = dot(rows, before, column) / dot(rows, before, before);
      for (Row& row : rows) row[column] -= share * row[before];
    }
    if (!(dot(rows, column, column) > kNothing * whole)) return column;
  }
  return std::nullopt;
}

// Least squares over the chosen columns only, the others 0, by the normal equations with columns
// scaled to length 1.
Row solve(const Rows& rows, unsigned chosen) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < kConstants; ++i) {
    if ((chosen >> i & 1) != 0) columns.push_back(i);
  }
  const std::size_t n = columns.size();
  std::array<std::array<double, kConstants + 1>, kConstants> m{};
  Row scale{};
  for (std::size_t i = 0; i < n; ++i) scale[i] = std::sqrt(dot(rows, columns[i], columns[i]));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      m[i][j] = dot(rows, columns[i], columns[j]) / (scale[i] * scale[j]);
    }
    for (const Row& row : rows) m[i][n] += row[columns[i]] / scale[i];
  }
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i == pivot) continue;
      const double factor = m[i][pivot] / m[pivot][pivot];
      for (std::size_t j = pivot; j <= n; ++j) m[i][j] -= factor * m[pivot][j];
    }
  }
  Row out{};
  for (std::size_t i = 0; i < n; ++i) out[columns[i]] = m[i][n] / m[i][i] / scale[i];
  return out;
}

double squared_error(const Rows& rows, const Row& x) {
  double sum = 0;
  for (const Row& row : rows) {
    double error = -1;
    for (std::size_t i = 0; i < kConstants; ++i) error += row[i] * x[i];
    sum += error * error;
  }
  return sum;
}

}  // namespace

MeasuredSpan prompt_span(std::uint32_t tokens, std::uint32_t cached, std::uint32_t budget,
                         double seconds) {
  MeasuredSpan span{.steps = 0, .load = {}, .seconds = seconds};
  for (std::uint32_t done = cached; done < tokens;) {
    const std::uint32_t chunk = std::min(budget, tokens - done);
    span.load.add_chunk(done, chunk);
    done += chunk;
    ++span.steps;
  }
  return span;
}

MeasuredSpan decode_span(std::uint32_t sequences, std::uint32_t context, double seconds) {
  MeasuredSpan span{.steps = 1, .load = {}, .seconds = seconds};
  for (std::uint32_t i = 0; i < sequences; ++i) span.load.add_decode(context);
  return span;
}

Result<StepTime> fit_step_time(std::span<const MeasuredSpan> spans) {
  Rows rows;
  for (const MeasuredSpan& span : spans) {
    if (!(span.seconds > 0)) {
      return fail(ErrorCode::kConfig,
                  fmt::format("a measured time must be above 0 seconds, not {}", span.seconds));
    }
    rows.push_back(row_of(span));
  }
  if (const auto column = undetermined(rows)) {
    return fail(ErrorCode::kConfig, fmt::format("the measured times do not tell {}: {}",
                                                kTable[*column].name, kTable[*column].advice));
  }
  // With so few constants the best one that is nowhere negative is found by trying every choice of
  // those that are not 0.
  Row best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen < 1U << kConstants; ++chosen) {
    const Row x = solve(rows, chosen);
    if (std::any_of(x.begin(), x.end(), [](double value) { return value < 0; })) continue;
    if (const double error = squared_error(rows, x); error < least) {
      least = error;
      best = x;
    }
  }
  StepTime time;
  for (std::size_t i = 0; i < kConstants; ++i) time.*kTable[i].value = best[i];
  return time;
}

double predicted_seconds(const StepTime& time, const MeasuredSpan& span) {
  return time.base * span.steps + time.prefill_seconds(span.load) + time.decode_seconds(span.load);
}

}  // namespace berth::engine
