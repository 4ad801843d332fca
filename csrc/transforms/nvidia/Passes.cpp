//===- Passes.cpp - Registers the passes for NVIDIA GPUs -------------------------------------===//
#include "transforms/nvidia/Passes.h"

namespace hocket {

#define GEN_PASS_REGISTRATION
#include "transforms/nvidia/Passes.h.inc"

void registerNvidiaTransformPasses() { registerNvidiaTransformsPasses(); }

} // namespace hocket
