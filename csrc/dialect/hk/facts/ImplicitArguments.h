//===- ImplicitArguments.h - Kernel arguments that the runtime passes --------------===//
//
//   func.func @kernel(%x: !hk.ptr<f32>, %n: i32,              passed by the caller
//                     %0: !hk.ptr<i8> {hk.implicit = ...})    implicit: passed by the runtime
//
// A pass that needs device memory appends an argument with an attribute that describes it. The attribute stays on the
// argument down to the lane form. The metadata of the compiled kernel contains the attribute (runtime/KernelFacts.def),
// from which the launchers for CUDA, HIP and the emulator determine the argument to pass.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_IMPLICITARGUMENTS_H
#define HOCKET_DIALECT_HK_FACTS_IMPLICITARGUMENTS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace hocket::hk {

/// Alignment in bytes of an address that the runtime passes. CUDA's and HIP's allocations have this alignment.
inline constexpr int64_t kImplicitAlignment = 256;

/// Appends an argument of type !hk.ptr<i8> to `function` and returns it.
mlir::BlockArgument appendImplicitArgument(mlir::FunctionOpInterface function, ImplicitAttr what);

/// Returns the implicit arguments, in order, of a function of tile IR or of the lane form. Implicit arguments are the
/// function's last arguments.
llvm::SmallVector<ImplicitAttr> implicitArgumentsOf(mlir::FunctionOpInterface function);

} // namespace hocket::hk

#endif
