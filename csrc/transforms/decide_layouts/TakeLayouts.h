//===- TakeLayouts.h - Applies the layout decisions to the IR ------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H

#include "transforms/decide_layouts/LayoutDecisions.h"

namespace hocket {

/// Changes every tensor of `function` to its decided layout. There must be a decision for every undecided tensor that
/// is not cheap.
void takeLayouts(mlir::func::FuncOp function, const LayoutDecisions &decisions);

} // namespace hocket

#endif
