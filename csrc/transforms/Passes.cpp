//===- Passes.cpp - Registration of the passes inside the hk dialect --------------===//
#include "transforms/Passes.h"

namespace hocket {

#define GEN_PASS_REGISTRATION
#include "transforms/Passes.h.inc"

void registerTransformPasses() { registerTransformsPasses(); }

} // namespace hocket
