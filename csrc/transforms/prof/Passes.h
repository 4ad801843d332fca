//===- Passes.h - The profiler's passes on tile IR ---------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROF_PASSES_H
#define HOCKET_TRANSFORMS_PROF_PASSES_H

#include "dialect/prof/ProfDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "transforms/prof/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/prof/Passes.h.inc"

} // namespace hocket

#endif
