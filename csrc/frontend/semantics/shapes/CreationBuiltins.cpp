//===- CreationBuiltins.cpp - arange, full, zeros, full_like, zeros_like, to_tensor -===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

static Value arange(Emitter &e, Arguments &args) {
  int64_t start = args.intAt(e, "start"), end = args.intAt(e, "end");
  if (start >= end)
    e.error("arange needs start < end, but they are " + std::to_string(start) + " and " + std::to_string(end));
  if (start < INT32_MIN || end > int64_t(INT32_MAX) + 1)
    e.error("arange makes int32 values, but goes from " + std::to_string(start) + " to " + std::to_string(end));
  int64_t size = end - start;
  if (!llvm::isPowerOf2_64(size))
    e.error("arange(" + std::to_string(start) + ", " + std::to_string(end) + ") has " + std::to_string(size) +
                " elements, which is not a power of two",
            "use arange(" + std::to_string(start) + ", " + std::to_string(start + llvm::NextPowerOf2(size)) +
                ") and mask the elements beyond");
  std::vector<int64_t> shape{size};
  checkTensorShape(e, e.here(), shape);
  ValueType type = ValueType::tensor(DType::Int32, shape, layoutOrAutoAt(e, args, "layout", shape));
  return e.make<hk::ArangeOp>(type, type.toMlir(e.context()), static_cast<uint32_t>(start), static_cast<uint32_t>(end));
}

/// Returns a tensor whose elements all equal argument `parameter`, a number or scalar, converted to `dtype`.
static Runtime filled(Emitter &e, const Arguments &args, ParameterName parameter, DType dtype,
                      llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  Runtime scalar = valueAs(e, args, parameter, dtype);
  if (!scalar.type.isScalar())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a number or a scalar, but is " + args[parameter].describe());
  return shape.empty() ? scalar : splat(e, scalar, shape, layout);
}

static DType dtypeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  return e.requireDType(args[parameter], args.what(parameter), args.where(parameter));
}

static Value full(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = tensorShapeAt(e, args, "shape");
  DType dtype = dtypeAt(e, args, "dtype");
  mlir::Attribute layout = shape.empty() ? mlir::Attribute() : layoutOrAutoAt(e, args, "layout", shape);
  return filled(e, args, "value", dtype, shape, layout);
}

static Value zeros(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = tensorShapeAt(e, args, "shape");
  DType dtype = dtypeAt(e, args, "dtype");
  if (shape.empty())
    return e.scalarConstant(py::int_(0), dtype);
  return filledLike(e, ValueType::tensor(dtype, shape, layoutOrAutoAt(e, args, "layout", shape)), 0);
}

/// Returns the type of the argument `input`, modified by the arguments `shape`, `dtype` and `layout` if they are given.
static ValueType typeLike(Emitter &e, const Arguments &args) {
  Runtime input = tensorOrScalarAt(e, args, "input");
  std::vector<int64_t> shape(input.type.shape.begin(), input.type.shape.end());
  if (!args["shape"].isNone())
    shape = tensorShapeAt(e, args, "shape");
  ElementType element = args["dtype"].isNone() ? input.type.element : ElementType(dtypeAt(e, args, "dtype"));
  if (shape.empty())
    return element;
  bool keepsLayout = args["layout"].isNone() && input.type.isTensor() && input.type.rank() == shape.size();
  mlir::Attribute layout = keepsLayout ? input.type.layout : layoutOrAutoAt(e, args, "layout", shape);
  return ValueType::tensor(element, shape, layout);
}

static void rejectPointers(Emitter &e, const Arguments &args, const ValueType &type) {
  if (type.isPointer())
    e.errorAt(args.where("input"), args.what("input") + " must not be a pointer: give the dtype of the elements");
}

static Value fullLike(Emitter &e, Arguments &args) {
  ValueType type = typeLike(e, args);
  rejectPointers(e, args, type);
  return filled(e, args, "value", type.dtype(), type.shape, type.layout);
}

static Value zerosLike(Emitter &e, Arguments &args) {
  ValueType type = typeLike(e, args);
  rejectPointers(e, args, type);
  return filledLike(e, type, 0);
}

static Value toTensor(Emitter &e, Arguments &args) { return tensorOrScalarAt(e, args, "x"); }

std::span<const BuiltinEntry> creationBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"arange", arange, "(start, end, layout=None)"},
      {"full", full, "(shape, value, dtype, layout=None)"},
      {"full_like", fullLike, "(input, value, shape=None, dtype=None, layout=None)"},
      {"to_tensor", toTensor, "(x)"},
      {"zeros", zeros, "(shape, dtype, layout=None)"},
      {"zeros_like", zerosLike, "(input, shape=None, dtype=None, layout=None)"},
  };
  return entries;
}

} // namespace hocket::frontend
