//===- Passes.h - Passes that only hocket-opt has ------------------------------------------===//
#ifndef HOCKET_TOOLS_PASSES_H
#define HOCKET_TOOLS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "tools/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tools/Passes.h.inc"

} // namespace hocket

#endif
