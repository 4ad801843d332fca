//===- GatherBuiltins.cpp - gather and histogram -----------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"

namespace hocket::frontend {

static Runtime tensorAt(Emitter &e, const Arguments &args, size_t index) {
  Runtime value = tensorOrScalarAt(e, args, index);
  if (value.type.isScalar())
    e.errorAt(args.where(index), args.what(index) + " must be a tensor, but is " + value.type.toString());
  return value;
}

/// Returns argument `index`: integers of at least 32 bits, so that the sign of narrow ones is not lost.
static Runtime integersAt(Emitter &e, const Arguments &args, size_t index) {
  Runtime value = tensorAt(e, args, index);
  DType dtype = value.type.dtype();
  if (value.type.isPointer() || !dtype.isInteger() || dtype.isBool())
    e.errorAt(args.where(index), args.what(index) + " must hold integers, but is " + value.type.toString());
  return dtype.bitWidth() < 32 ? castTo(e, value, DType::Int32) : value;
}

/// gather(src, index, axis)
static Value gather(Emitter &e, Arguments &args) {
  Runtime src = tensorAt(e, args, 0), index = integersAt(e, args, 1);
  int64_t axis = normalizeAxis(e, args.where(2), args.intAt(e, 2), src.type.rank());
  ErrorDetails both{{{"src", src.type.toString()}, {"index", args[1].asRuntime()->type.toString()}}, {}};
  if (src.type.rank() != index.type.rank())
    e.errorAt(args.where(1), "`src` and `index` of gather must have the same rank", both);
  for (int64_t dim = 0; dim < src.type.rank(); ++dim)
    if (dim != axis && src.type.shape[dim] != index.type.shape[dim])
      e.errorAt(args.where(1),
                "`src` and `index` of gather must agree in all sizes but that of axis " + std::to_string(axis), both);
  ValueType type = ValueType::tensor(src.type.element, index.type.shape, index.type.layout);
  return e.make<hk::GatherOp>(type, type.toMlir(e.context()), src.ir, index.ir, static_cast<uint32_t>(axis));
}

/// histogram(input, num_bins, mask=None, layout=None)
static Value histogram(Emitter &e, Arguments &args) {
  Runtime input = integersAt(e, args, 0);
  if (input.type.rank() != 1)
    e.errorAt(args.where(0), args.what(0) + " must have one dimension, but is " + args[0].describe(),
              {{}, "flatten it with .ravel()"});
  std::vector<int64_t> shape{args.intAt(e, 1)};
  if (shape.front() <= 0)
    e.errorAt(args.where(1), args.what(1) + " must be positive, but is " + std::to_string(shape.front()));
  checkTensorShape(e, args.where(1), shape);
  mlir::Value mask;
  if (!args[2].isNone()) {
    Runtime given = castTo(e, tensorOrScalarAt(e, args, 2), DType::Int1);
    if (given.type.isTensor() && given.type.shape != input.type.shape)
      e.errorAt(args.where(2), "`mask` of histogram must have the shape of its input",
                {{{"input", input.type.toString()}, {"mask", given.type.toString()}}, {}});
    mask = broadcastPair(e, "mask", given, input).first.ir;
  }
  ValueType type = ValueType::tensor(DType::Int32, shape, distributedLayoutAt(e, args, 3, shape));
  return e.make<hk::HistogramOp>(type, type.toMlir(e.context()), input.ir, mask);
}

std::span<const BuiltinEntry> gatherBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"gather", gather}, {"histogram", histogram}};
  return entries;
}

} // namespace hocket::frontend
