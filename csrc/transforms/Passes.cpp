//===- Passes.cpp - Registers the passes on the hk dialect ------------------------===//
#include "transforms/Passes.h"

namespace hocket {

#define GEN_PASS_REGISTRATION
#include "transforms/Passes.h.inc"

void registerTransformPasses() { registerTransformsPasses(); }

} // namespace hocket
