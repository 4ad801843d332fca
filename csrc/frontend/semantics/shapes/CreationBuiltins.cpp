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

/// arange(start, end, layout=None)
static Value arange(Emitter &e, Arguments &args) {
  int64_t start = args.intAt(e, 0), end = args.intAt(e, 1);
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
  ValueType type = ValueType::tensor(DType::Int32, shape, layoutOrAutoAt(e, args, 2, shape));
  return e.make<hk::ArangeOp>(type, type.toMlir(e.context()), static_cast<uint32_t>(start), static_cast<uint32_t>(end));
}

/// Returns a tensor whose elements are all a number or scalar, converted to `dtype`.
static Runtime filled(Emitter &e, const Arguments &args, size_t valueIndex, DType dtype, llvm::ArrayRef<int64_t> shape,
                      mlir::Attribute layout) {
  Runtime scalar = valueAs(e, args, valueIndex, dtype);
  if (!scalar.type.isScalar())
    e.errorAt(args.where(valueIndex),
              args.what(valueIndex) + " must be a number or a scalar, but is " + args[valueIndex].describe());
  return shape.empty() ? scalar : splat(e, scalar, shape, layout);
}

static DType dtypeAt(Emitter &e, const Arguments &args, size_t index) {
  return e.requireDType(args[index], args.what(index), args.where(index));
}

/// full(shape, value, dtype, layout=None)
static Value full(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = tensorShapeAt(e, args, 0);
  DType dtype = dtypeAt(e, args, 2);
  mlir::Attribute layout = shape.empty() ? mlir::Attribute() : layoutOrAutoAt(e, args, 3, shape);
  return filled(e, args, 1, dtype, shape, layout);
}

/// zeros(shape, dtype, layout=None)
static Value zeros(Emitter &e, Arguments &args) {
  std::vector<int64_t> shape = tensorShapeAt(e, args, 0);
  DType dtype = dtypeAt(e, args, 1);
  if (shape.empty())
    return e.scalarConstant(py::int_(0), dtype);
  return filledLike(e, ValueType::tensor(dtype, shape, layoutOrAutoAt(e, args, 2, shape)), 0);
}

/// Returns the type of `input` at 0, changed by shape, dtype and layout at `index`, `index` + 1, `index` + 2 if given.
static ValueType typeLike(Emitter &e, const Arguments &args, size_t index) {
  Runtime input = tensorOrScalarAt(e, args, 0);
  std::vector<int64_t> shape(input.type.shape.begin(), input.type.shape.end());
  if (!args[index].isNone())
    shape = tensorShapeAt(e, args, index);
  ElementType element = args[index + 1].isNone() ? input.type.element : ElementType(dtypeAt(e, args, index + 1));
  if (shape.empty())
    return element;
  bool keepsLayout = args[index + 2].isNone() && input.type.isTensor() && input.type.rank() == shape.size();
  mlir::Attribute layout = keepsLayout ? input.type.layout : layoutOrAutoAt(e, args, index + 2, shape);
  return ValueType::tensor(element, shape, layout);
}

static void rejectPointers(Emitter &e, const Arguments &args, const ValueType &type) {
  if (type.isPointer())
    e.errorAt(args.where(0), args.what(0) + " must not be a pointer: give the dtype of the elements");
}

/// full_like(input, value, shape=None, dtype=None, layout=None)
static Value fullLike(Emitter &e, Arguments &args) {
  ValueType type = typeLike(e, args, 2);
  rejectPointers(e, args, type);
  return filled(e, args, 1, type.dtype(), type.shape, type.layout);
}

/// zeros_like(input, shape=None, dtype=None, layout=None)
static Value zerosLike(Emitter &e, Arguments &args) {
  ValueType type = typeLike(e, args, 1);
  rejectPointers(e, args, type);
  return filledLike(e, type, 0);
}

/// to_tensor(x)
static Value toTensor(Emitter &e, Arguments &args) { return tensorOrScalarAt(e, args, 0); }

std::span<const BuiltinEntry> creationBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"arange", arange},      {"full", full},   {"full_like", fullLike},
      {"to_tensor", toTensor}, {"zeros", zeros}, {"zeros_like", zerosLike},
  };
  return entries;
}

} // namespace hocket::frontend
