#include "sim/measures.h"

namespace berth::sim {

const std::vector<MeasureField>& measure_fields() {
  static const std::vector<MeasureField> all = {
      {"output_tokens_per_min", &Measures::output_tokens_per_min},
      {"turns_per_min", &Measures::turns_per_min},
      {"sessions_per_hour", &Measures::sessions_per_hour},
      {"ttfb_p50_s", &Measures::ttfb_p50_s},
      {"ttfb_p95_s", &Measures::ttfb_p95_s},
      {"ttfb_p95_km_s", &Measures::ttfb_p95_km_s},
      {"ttfb_max_s", &Measures::ttfb_max_s},
      {"ttfb_mean_s", &Measures::ttfb_mean_s},
      {"session_mean_s", &Measures::session_mean_s},
      {"session_p95_s", &Measures::session_p95_s},
      {"session_p95_km_s", &Measures::session_p95_km_s},
      {"prefix_hit_ratio", &Measures::prefix_hit_ratio},
      {"prefix_hit_ratio_per_attempt", &Measures::prefix_hit_ratio_per_attempt},
      {"stayed_ratio", &Measures::stayed_ratio},
      {"replicas_busy", &Measures::replicas_busy},
      {"kv_usage_max", &Measures::kv_usage_max},
      {"reread_tokens_per_min", &Measures::reread_tokens_per_min},
      {"preemptions_per_min", &Measures::preemptions_per_min},
      {"unanswered", &Measures::unanswered},
      {"errors", &Measures::errors},
  };
  return all;
}

}  // namespace berth::sim
