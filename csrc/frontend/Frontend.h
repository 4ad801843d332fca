//===- Frontend.h - Conversion of a Python kernel to an `hk` module ------------------===//
//
// This header is the public interface of the folder frontend.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_FRONTEND_H
#define HOCKET_FRONTEND_FRONTEND_H

#include "frontend/semantics/Emitter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <variant>

namespace hocket::frontend {

struct ArgumentSpec;

/// A parameter that is a compile-time constant: it is annotated as constexpr, or its value is None or the int 1.
struct ConstexprArgument {
  py::object value;
};
/// A parameter of the compiled kernel.
struct RuntimeArgument {
  ElementType type;
  /// A power of two that divides the value. For a pointer, the value is the address in bytes.
  int64_t divisibility = 1;
};
/// A tuple whose elements are specialized one by one.
struct TupleArgument {
  std::vector<ArgumentSpec> elements;
  py::object pythonClass; ///< class of a namedtuple, or null
};
/// A TMA descriptor: a tensor map, and the tensor's shape and strides as ordinary arguments.
struct DescriptorArgument {
  DType dtype;
  std::vector<int64_t> blockShape;
  py::object layout;   ///< layout of the tiles in shared memory
  unsigned im2col = 0; ///< number of the tensor's dimensions for im2col, otherwise 0

  unsigned tensorRank() const { return im2col ? im2col : blockShape.size(); }
};
struct ArgumentSpec {
  std::variant<ConstexprArgument, RuntimeArgument, TupleArgument, DescriptorArgument> kind;
};

struct KernelRequest {
  py::object function; ///< a jit object (with `.fn`) or a plain function
  /// One specification per parameter of the Python function, in the order of its code object: positional, keyword-only,
  /// `*args`.
  std::vector<ArgumentSpec> arguments;
  const TargetInfo *target = nullptr;
  EmitOptions options;
  std::string symbol;  ///< name of the compiled kernel; the name of `function` if empty
  std::string profile; ///< options of the profiler in the format of dialect/prof/ProfConfig.h; empty if the kernel is
                       ///< not profiled
};

/// One argument of the compiled kernel.
struct KernelParameter {
  std::string name;      ///< name such as "n", "shape[1]" or "x.strides[0]"
  std::vector<int> path; ///< index into KernelRequest::arguments, then indices into tuples
  ValueType type;
};

struct EmittedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<KernelParameter> parameters;
};

/// Loads the dialects that the front end emits.
void loadDialects(mlir::MLIRContext &context);

/// Converts a Python kernel to a module. Throws CompileError for an error in the kernel. The caller must hold the GIL.
EmittedModule emitModule(mlir::MLIRContext &context, const KernelRequest &request);

} // namespace hocket::frontend

#endif
