// What limited each replica and where wasted work went, in plain words.
#pragma once

#include <string>
#include <vector>

#include "sim/measures.h"

namespace berth::sim {

// Lines for --explain: a table of the replicas, the wasted work, what the policy counted.
std::vector<std::string> explain(const WindowResult& result);

// One replica in a sentence: what most of its time went to, or why it had none.
std::string what_limited(const ReplicaAccount& replica);

}  // namespace berth::sim
