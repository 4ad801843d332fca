//===- ConvertHkToLlvm.h - From tiles to what one lane does -----------------------------===//
//
// Input:   one kernel of hk, arith, math and cf on tensors; shared memory allocated, barriers inserted, widths of
//          accesses chosen (ChooseAccesses.h).
// Output:  lane form: LLVM dialect, NVVM or ROCDL, and lane operations. The GPU's code and the emulator's are both
//          made from it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_CONVERTHKTOLLVM_H
#define HOCKET_CONVERSION_HK_TO_LLVM_CONVERTHKTOLLVM_H

#include "conversion/hk_to_llvm/TargetLowering.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

/// Unit attribute of a module whose lane form is to assert, beyond what the program says, that slots of rings exist.
inline constexpr llvm::StringLiteral kChecksSlotsAttr = "hk.checks_slots";

/// The same, that indices of addresses have not overflowed; and that offsets of buffer accesses are not negative.
inline constexpr llvm::StringLiteral kChecksIndicesAttr = "hk.checks_indices";
inline constexpr llvm::StringLiteral kChecksBufferOffsetsAttr = "hk.checks_buffer_offsets";

/// Lowers the kernel of `module` for `targetLowering.target`. Errors are reported at the user's operations.
mlir::LogicalResult convertHkToLlvm(mlir::ModuleOp module, const TargetLowering &targetLowering);

/// The pass `hocket-convert-hk-to-llvm`: takes the target and the number of warps from the module.
std::unique_ptr<mlir::Pass> createConvertHkToLlvmPass(TargetLoweringFactory factory);

} // namespace hocket

#endif
