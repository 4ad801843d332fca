//===- LayoutArguments.h - Layout arguments of builtins -------------------------------===//
//
// The functions of this file check the conditions on a layout that depend on the kernel: the numbers of warps, lanes
// and blocks, and the tensor's shape.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_LAYOUTS_LAYOUTARGUMENTS_H
#define HOCKET_FRONTEND_SEMANTICS_LAYOUTS_LAYOUTARGUMENTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter` as the layout of a tensor of `shape`. The layout must be a distributed layout of the
/// rank of `shape`, with the kernel's number of warps and the target's number of lanes, or an undecided layout
/// (AutoLayout, CoalescedLayout).
mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                    llvm::ArrayRef<int64_t> shape);
/// Returns argument `parameter` like distributedLayoutAt, except that None means AutoLayout.
mlir::Attribute layoutOrAutoAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape);
/// Returns argument `parameter` like distributedLayoutAt, except that an undecided layout is an error.
mlir::Attribute decidedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                llvm::ArrayRef<int64_t> shape);
/// Returns argument `parameter` as the layout of a buffer of `shape` and `element`. The layout must be a shared layout
/// of the rank of `shape` or, for a ring buffer of tiles, of one rank less.
mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape, DType element);

} // namespace hocket::frontend

#endif
