//===- WgmmaSelection.h - Which wgmma a product of a warpgroup means --------------===//
#ifndef HOCKET_DIALECT_HK_NV_WGMMASELECTION_H
#define HOCKET_DIALECT_HK_NV_WGMMASELECTION_H

#include "dialect/hk_nv/MmaSelection.h"
#include "target/WgmmaInstructions.h"

namespace hocket::hk_nv {

/// What an element type is to accumulators; nothing for types that none are of.
std::optional<WgmmaSum> wgmmaSumOf(mlir::Type type);

/// The instruction that `op`, whose accumulators have a layout of version [3, 0], consists of; nothing where there is
/// none for its types.
std::optional<WgmmaInstruction> wgmmaOf(WarpgroupMmaOp op);
std::optional<WgmmaInstruction> wgmmaOf(JoinedWarpgroupMmaOp op);

} // namespace hocket::hk_nv

#endif
