//===- GatherBuiltins.cpp - gather and histogram -----------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"

namespace hocket::frontend {

static Runtime tensorAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  Runtime value = tensorOrScalarAt(e, args, parameter);
  if (value.type.isScalar())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be a tensor, but is " + value.type.toString());
  return value;
}

/// Returns argument `parameter`, a tensor of integers. Integers narrower than 32 bits are sign-extended or
/// zero-extended to 32 bits, according to their type.
static Runtime integersAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  Runtime value = tensorAt(e, args, parameter);
  DType dtype = value.type.dtype();
  if (value.type.isPointer() || !dtype.isInteger() || dtype.isBool())
    e.errorAt(args.where(parameter), args.what(parameter) + " must hold integers, but is " + value.type.toString());
  return dtype.bitWidth() < 32 ? castTo(e, value, DType::Int32) : value;
}

static Value gather(Emitter &e, Arguments &args) {
  Runtime src = tensorAt(e, args, "src"), index = integersAt(e, args, "index");
  int64_t axis = normalizeAxis(e, args.where("axis"), args.intAt(e, "axis"), src.type.rank());
  ErrorDetails both{{{"src", src.type.toString()}, {"index", args["index"].asRuntime()->type.toString()}}, {}};
  if (src.type.rank() != index.type.rank())
    e.errorAt(args.where("index"), "`src` and `index` of gather must have the same rank", both);
  for (int64_t dim = 0; dim < src.type.rank(); ++dim)
    if (dim != axis && src.type.shape[dim] != index.type.shape[dim])
      e.errorAt(args.where("index"),
                "`src` and `index` of gather must have equal sizes, except along axis " + std::to_string(axis), both);
  ValueType type = ValueType::tensor(src.type.element, index.type.shape, index.type.layout);
  return e.make<hk::GatherOp>(type, type.toMlir(e.context()), src.ir, index.ir, static_cast<uint32_t>(axis));
}

static Value histogram(Emitter &e, Arguments &args) {
  Runtime input = integersAt(e, args, "input");
  if (input.type.rank() != 1)
    e.errorAt(args.where("input"), args.what("input") + " must have one dimension, but is " + args["input"].describe(),
              {{}, "flatten it with .ravel()"});
  std::vector<int64_t> shape{args.intAt(e, "num_bins")};
  if (shape.front() <= 0)
    e.errorAt(args.where("num_bins"),
              args.what("num_bins") + " must be positive, but is " + std::to_string(shape.front()));
  checkTensorShape(e, args.where("num_bins"), shape);
  mlir::Value mask;
  if (!args["mask"].isNone()) {
    Runtime given = castTo(e, tensorOrScalarAt(e, args, "mask"), DType::Int1);
    if (given.type.isTensor() && given.type.shape != input.type.shape)
      e.errorAt(args.where("mask"), "`mask` of histogram must have the shape of its input",
                {{{"input", input.type.toString()}, {"mask", given.type.toString()}}, {}});
    mask = broadcastPair(e, "mask", given, input).first.ir;
  }
  ValueType type = ValueType::tensor(DType::Int32, shape, distributedLayoutAt(e, args, "layout", shape));
  return e.make<hk::HistogramOp>(type, type.toMlir(e.context()), input.ir, mask);
}

std::span<const BuiltinEntry> gatherBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"gather", gather, "(src, index, axis)"},
                                             {"histogram", histogram, "(input, num_bins, mask=None, layout=None)"}};
  return entries;
}

} // namespace hocket::frontend
