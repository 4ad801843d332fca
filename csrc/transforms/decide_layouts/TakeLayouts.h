//===- TakeLayouts.h - Applies the layout decisions to the IR ------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_TAKELAYOUTS_H

#include "transforms/decide_layouts/LayoutDecisions.h"

namespace hocket {

/// Gives every tensor of `function` its decided layout. Every undecided tensor that is not cheap must have a decision.
void takeLayouts(mlir::func::FuncOp function, const LayoutDecisions &decisions);

} // namespace hocket

#endif
