//===- Passes.h - The profiler's passes on the lane form -------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_PASSES_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_PASSES_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "conversion/prof_to_llvm/Clocks.h"
#include "dialect/prof/ProfDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "conversion/prof_to_llvm/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/prof_to_llvm/Passes.h.inc"

/// Creates hocket-convert-prof-to-llvm, which lowers the expanded records to lane form. `lowering` emits thread and
/// block indices, `clocks` emits reads of clocks.
std::unique_ptr<mlir::Pass> createConvertProfToLlvmPass(TargetLoweringFactory lowering, ClocksFactory clocks);

} // namespace hocket

#endif
