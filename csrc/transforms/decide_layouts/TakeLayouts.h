//===- TakeLayouts.h - Applies the layout decisions to the IR ------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H

#include "transforms/decide_layouts/LayoutDecisions.h"

namespace hocket {

/// Rewrites `function` by the decisions. Every open tensor that is not cheap must have been decided.
void takeLayouts(mlir::func::FuncOp function, const LayoutDecisions &decisions);

} // namespace hocket

#endif
