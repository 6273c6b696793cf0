// Prints an exposition with one sample of every metric of the catalogue: what promtool is run over.
#include <cstdio>

#include "observe/catalogue.h"

int main() {
  using berth::observe::MetricType;
  berth::observe::Registry registry;
  for (const auto* spec : berth::observe::catalogue()) {
    std::vector<std::string> values;
    for (const auto& label : spec->labels) {
      if (!label.empty()) values.emplace_back("a \"quoted\\ \xFF\nvalue");
    }
    if (spec->type == MetricType::kCounter) {
      berth::observe::counter(registry, *spec, values)->add(12345678901234567);
    } else if (spec->type == MetricType::kHistogram) {
      berth::observe::histogram(registry, *spec, values)->observe(0.3);
    } else {
      const auto read = [values] { return std::vector<berth::observe::Reading>{{values, 0.1}}; };
      berth::observe::collect(registry, *spec, read);
    }
  }
  std::fputs(registry.text().c_str(), stdout);
}
