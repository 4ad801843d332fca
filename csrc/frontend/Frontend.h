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

/// A parameter that is a compile-time constant, because the parameter is annotated as constexpr or its value is None or
/// the int 1.
struct ConstexprArgument {
  py::object value;
};
/// A parameter that the compiled kernel receives at launch.
struct RuntimeArgument {
  ElementType type;
  /// Power of two that divides every value of the parameter. For a pointer, this is the alignment of the address in
  /// bytes.
  int64_t divisibility = 1;
};
/// A tuple argument. Each element of the tuple has its own ArgumentSpec.
struct TupleArgument {
  std::vector<ArgumentSpec> elements;
  py::object pythonClass; ///< Python class of a namedtuple; null for a plain tuple
};
/// A TMA descriptor. The compiled kernel receives it as a tensor map, followed by the tensor's shape and strides.
struct DescriptorArgument {
  DType dtype;
  std::vector<int64_t> blockShape;
  py::object layout;   ///< shared memory layout of a tile that TMA copies
  unsigned im2col = 0; ///< rank of the tensor if the descriptor is for im2col; otherwise 0

  unsigned tensorRank() const { return im2col ? im2col : blockShape.size(); }
};
struct ArgumentSpec {
  std::variant<ConstexprArgument, RuntimeArgument, TupleArgument, DescriptorArgument> kind;
};

struct KernelRequest {
  py::object function; ///< kernel: a jit object (its `fn` is the Python function) or a plain Python function
  /// One specification for each parameter of the Python function, in the order of Python's code object: positional
  /// parameters, keyword-only parameters, `*args`.
  std::vector<ArgumentSpec> arguments;
  const TargetInfo *target = nullptr;
  EmitOptions options;
  std::string symbol;  ///< symbol of the compiled kernel; if empty, the name of `function`
  std::string profile; ///< profiler options (format: dialect/prof/ProfConfig.h); empty if the kernel is not profiled
};

/// One argument of the compiled kernel.
struct KernelParameter {
  std::string name;      ///< name such as "n", "shape[1]" or "x.strides[0]"
  std::vector<int> path; ///< index into KernelRequest::arguments, then one index for each nested tuple
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
