//===- UndecidedLayouts.h - Tensors whose layout a pass decides, where they meet others -===//
//
// A tensor in AutoLayout takes the layout of what it is combined with; one in CoalescedLayout is converted to it. Here
// that is only said (hk.set_layout); `hocket-decide-layouts` does it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H
#define HOCKET_FRONTEND_SEMANTICS_UNDECIDEDLAYOUTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The layout in which tensors of `shape` in `a` and `b` meet: the decided one, else CoalescedLayout; `a` where both
/// say the same in different words. Null where they put elements in different places.
mlir::Attribute meetingLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape);

/// `value` in `layout`; at least one of its own and this is not decided.
Runtime setLayout(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// `value`, in `layout` where it is a tensor in another one that can meet it.
Runtime settledIn(Emitter &e, const Runtime &value, mlir::Attribute layout);

/// `value` with the layouts of `form` in its run-time parts, where these differ only in layouts that can meet.
/// `towardsDecided` leaves out those in which `form` knows less.
Value settledLike(Emitter &e, const Value &value, const Value &form, bool towardsDecided = false);

} // namespace hocket::frontend

#endif
