//===- LayoutArguments.h - Layout arguments of builtins -------------------------------===//
//
// Checks the conditions on a layout that depend on the kernel: warps, lanes, blocks, the tensor's shape.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_LAYOUTS_LAYOUTARGUMENTS_H
#define HOCKET_FRONTEND_SEMANTICS_LAYOUTS_LAYOUTARGUMENTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter` as the layout of a tensor of `shape`: distributed, of that rank, for this kernel's warps
/// and this target's lanes; or undecided (AutoLayout, CoalescedLayout).
mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                    llvm::ArrayRef<int64_t> shape);
/// Same as distributedLayoutAt, except that None means AutoLayout.
mlir::Attribute layoutOrAutoAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape);
/// Same as distributedLayoutAt, except that an undecided layout is an error.
mlir::Attribute decidedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                llvm::ArrayRef<int64_t> shape);
/// Returns argument `parameter` as the layout of a buffer of `shape` and `element`: shared, of its rank or one less (a
/// ring).
mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape, DType element);

} // namespace hocket::frontend

#endif
