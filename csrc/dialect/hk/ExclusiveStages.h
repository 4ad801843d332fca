//===- ExclusiveStages.h - Stages at which groups of warps take turns -------------===//
//
//     hk.stage_begin "products" {hk.exclusive}        hk.stage "products" attributes {hk.exclusive} { .. }
//
// Only one of the two groups of a warp pipeline is in such a stage at a time: first the low one, then the high one, and
// so on. Where stages of a pipeline are exclusive, the groups wait for each other there and nowhere else.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_EXCLUSIVESTAGES_H
#define HOCKET_DIALECT_HK_EXCLUSIVESTAGES_H

#include "mlir/IR/Operation.h"

namespace hocket::hk {

/// Unit attribute of hk.stage_begin and hk.stage.
inline constexpr llvm::StringLiteral kExclusiveAttr = "hk.exclusive";

inline bool isExclusive(mlir::Operation *stage) { return stage->hasAttr(kExclusiveAttr); }

inline void setExclusive(mlir::Operation *stage) {
  stage->setAttr(kExclusiveAttr, mlir::UnitAttr::get(stage->getContext()));
}

} // namespace hocket::hk

#endif
