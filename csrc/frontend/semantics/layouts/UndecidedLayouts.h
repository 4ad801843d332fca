//===- UndecidedLayouts.h - Operands in undecided layouts -------------------------------===//
//
// A tensor in AutoLayout takes the layout of the other operands of an operation. A tensor in CoalescedLayout is
// converted to the layout of the other operands. The front end only inserts hk.set_layout; the pass
// `hocket-decide-layouts` chooses the layouts.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H
#define HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns the common layout of tensors of `shape` in the layouts `a` and `b`. Returns the decided layout if only one
/// of the layouts is decided. Returns CoalescedLayout for CoalescedLayout and AutoLayout, `a` for equivalent layouts,
/// and null for different decided layouts.
mlir::Attribute commonLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape);

/// Emits an hk.set_layout, which gives `value` the layout `layout`. The current layout of `value` or `layout` must be
/// undecided.
Runtime setLayout(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Returns `value` converted to `layout`. Returns `value` unchanged if it is not a tensor, or if commonLayout returns
/// null for its layout and `layout`.
Runtime settledIn(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Converts each tensor in `value`, which can be a nested tuple, to the layout of the corresponding tensor in `form`. A
/// tensor is not converted if its shape or element type differs from the tensor in `form`. If `towardsDecided` is true,
/// a tensor is converted only if commonLayout of the two layouts is the layout in `form`: for example, not from a
/// decided to an undecided layout.
Value settledLike(Emitter &e, const Value &value, const Value &form, bool towardsDecided = false);

} // namespace hocket::frontend

#endif
