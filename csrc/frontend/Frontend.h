//===- Frontend.h - A Python kernel becomes an `hk` module ---------------------------===//
//
// The public face of this folder.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_FRONTEND_H
#define HOCKET_FRONTEND_FRONTEND_H

#include "frontend/emit/Emitter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <variant>

namespace hocket::frontend {

struct ArgumentSpec;

/// A parameter whose value is part of the compilation: annotated, None, or an int that is 1.
struct ConstexprArgument {
  py::object value;
};
/// A parameter of the compiled kernel.
struct RuntimeArgument {
  ElementType type;
  /// The value (a pointer: the address in bytes) is a multiple of this power of two.
  int64_t divisibility = 1;
};
/// A tuple; its parts are specialised one by one.
struct TupleArgument {
  std::vector<ArgumentSpec> elements;
  py::object pythonClass; ///< a namedtuple's class, or null
};
/// A tensor that TMA moves tiles of: a tensor map, and the tensor's shape and strides as ordinary arguments.
struct DescriptorArgument {
  DType dtype;
  std::vector<int64_t> blockShape;
  py::object layout;   ///< of the tiles in shared memory
  unsigned im2col = 0; ///< the tensor's dimensions, where tiles are of im2col

  unsigned tensorRank() const { return im2col ? im2col : blockShape.size(); }
};
struct ArgumentSpec {
  std::variant<ConstexprArgument, RuntimeArgument, TupleArgument, DescriptorArgument> kind;
};

struct KernelRequest {
  py::object function; ///< a jit object (with `.fn`) or a plain function
  /// One per parameter of the Python function, in the order of its code object: positional, keyword-only, `*args`.
  std::vector<ArgumentSpec> arguments;
  const TargetInfo *target = nullptr;
  EmitOptions options;
  std::string profile; ///< what is asked of the profiler, as dialect/prof/ProfConfig.h reads it; empty for nothing
};

/// One argument of the compiled kernel.
struct KernelParameter {
  std::string name;      ///< "n", "shape[1]", "x.strides[0]"
  std::vector<int> path; ///< index into KernelRequest::arguments, then indices into tuples
  ValueType type;
};

struct EmittedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<KernelParameter> parameters;
};

/// Loads the dialects that kernels are emitted in.
void loadDialects(mlir::MLIRContext &context);

/// Throws CompileError for a mistake in the kernel. Needs the GIL.
EmittedModule emitModule(mlir::MLIRContext &context, const KernelRequest &request);

} // namespace hocket::frontend

#endif
