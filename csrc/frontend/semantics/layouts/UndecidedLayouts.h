//===- UndecidedLayouts.h - Operands whose layout a pass will choose --------------------===//
//
// A tensor in AutoLayout takes the layout of the other operands; one in CoalescedLayout is converted to it. The front
// end only records this (hk.set_layout); `hocket-decide-layouts` performs it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H
#define HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns the common layout of tensors of `shape` in `a` and `b`: the decided one, else CoalescedLayout; `a` if both
/// are equivalent. Null if they differ.
mlir::Attribute commonLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape);

/// Returns `value` in `layout`; at least one of the two layouts is undecided.
Runtime setLayout(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Returns `value`, converted to `layout` if it is a tensor in another layout that is compatible.
Runtime settledIn(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// Converts the run-time parts of `value` to the layouts of the corresponding parts of `form`, if each part differs
/// only in a compatible layout. With `towardsDecided`, a part keeps its layout if that of `form` is less decided.
Value settledLike(Emitter &e, const Value &value, const Value &form, bool towardsDecided = false);

} // namespace hocket::frontend

#endif
