//===- TakeLayouts.h - Tensors take the layouts that were decided --------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H

#include "transforms/decide_layouts/LayoutDecisions.h"

namespace hocket {

/// Rewrites `function` accordingly. Every open tensor that is not cheap has been decided.
void takeLayouts(mlir::func::FuncOp function, const LayoutDecisions &decisions);

} // namespace hocket

#endif
