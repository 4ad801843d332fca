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

/// Returns `value` in `layout`. The layout of `value` or `layout` must be undecided.
Runtime setLayout(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Returns `value`, converted to `layout` if it is a tensor in another layout for which commonLayout finds a common
/// layout.
Runtime settledIn(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Converts the run-time parts of `value` to the layouts of the corresponding parts of `form`. A part whose shape or
/// element type differs in `form` is not converted. If `towardsDecided`, a part in a decided layout is not converted to
/// an undecided layout of `form`.
Value settledLike(Emitter &e, const Value &value, const Value &form, bool towardsDecided = false);

} // namespace hocket::frontend

#endif
