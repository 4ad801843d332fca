//===- ImplicitArguments.h - Kernel arguments that the runtime passes --------------===//
//
//   func.func @kernel(%x: !hk.ptr<f32>, %n: i32,              the caller's
//                     %0: !hk.ptr<i8> {hk.implicit = ...})    the runtime's, after them
//
// A pass that needs device memory appends an argument with an attribute that describes it. The attribute stays on the
// argument down to the lane form; there it becomes a fact of the compiled kernel (pipeline/KernelFacts.def), and every
// launcher passes the argument: CUDA, HIP and the emulator alike.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_IMPLICITARGUMENTS_H
#define HOCKET_DIALECT_HK_FACTS_IMPLICITARGUMENTS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace hocket::hk {

/// Alignment of an implicit address, in bytes: that of CUDA's and HIP's allocations.
inline constexpr int64_t kImplicitAlignment = 256;

/// Appends an argument of type !hk.ptr<i8> to `function` and returns it.
mlir::BlockArgument appendImplicitArgument(mlir::FunctionOpInterface function, ImplicitAttr what);

/// Returns the implicit arguments of a function of tile IR or of the lane form, in order: its last ones.
llvm::SmallVector<ImplicitAttr> implicitArgumentsOf(mlir::FunctionOpInterface function);

} // namespace hocket::hk

#endif
