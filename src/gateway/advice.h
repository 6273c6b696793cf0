// Plain sentences about a model's state that an operator should read: what is wrong, or could be
// better.
#pragma once

#include <string>
#include <vector>

#include "observe/status.h"

namespace berth::gateway {

// At most a handful, most urgent first; empty when all is well. Pure.
std::vector<std::string> advice_for(const observe::ModelStatus& model);

}  // namespace berth::gateway
