//===- ExclusiveStages.h - Stages that only one group of warps executes at a time -===//
//
//     hk.stage_begin "products" {hk.exclusive}        hk.stage "products" attributes {hk.exclusive} { ... }
//
// Only one of the two groups of a warp pipeline at a time executes an exclusive stage: first the low group, then the
// high group, and so on (ping-pong). In a pipeline with exclusive stages, the groups wait for each other only at these
// stages.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_EXCLUSIVESTAGES_H
#define HOCKET_DIALECT_HK_FACTS_EXCLUSIVESTAGES_H

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
