//===- WgmmaSelection.h - Selection of the wgmma instruction for an operation -----===//
#ifndef HOCKET_DIALECT_HK_NV_WGMMASELECTION_H
#define HOCKET_DIALECT_HK_NV_WGMMASELECTION_H

#include "dialect/hk_nv/MmaSelection.h"
#include "target/WgmmaInstructions.h"

namespace hocket::hk_nv {

/// Returns the number format of wgmma accumulators with element type `type`; nullopt if wgmma has no such accumulators.
std::optional<NumberFormat> wgmmaSumOf(mlir::Type type);

/// Returns the instruction to which `op` is lowered; nullopt if wgmma does not support the types of `op`. The
/// accumulators must have a layout of version [3, 0].
std::optional<WgmmaInstruction> wgmmaOf(WarpgroupMmaOp op);
std::optional<WgmmaInstruction> wgmmaOf(FusedWarpgroupMmaOp op);

} // namespace hocket::hk_nv

#endif
