//===- ReductionBuiltins.cpp - reduce with any combine function, and sum, max, min, xor_sum, reduce_or -===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/FunctionRegion.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/CombinedTensors.h"
#include "frontend/semantics/shapes/Reductions.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

static ValueType reducedType(const ValueType &type, int64_t axis) {
  if (type.rank() == 1)
    return type.element;
  auto layout = hk::inferReduce(type.layout, type.shape, axis);
  if (mlir::failed(layout))
    throw InternalError("no layout for a reduced tensor");
  return ValueType::tensor(type.element, hk::reducedShape(type.shape, axis), *layout);
}

/// Emits a reduction along `axis` of the tensors in `inputs`, a tensor or a nested tuple of tensors.
static Value emitReduce(Emitter &e, const Value &inputs, int64_t axis, Combination combine) {
  llvm::SmallVector<mlir::Value> operands;
  flatten(inputs, operands);
  Value elements = mapRuntime(inputs, [](const Runtime &input) { return Runtime{{}, input.type.element}; });
  Value results = mapRuntime(inputs, [&](const Runtime &input) { return Runtime{{}, reducedType(input.type, axis)}; });
  llvm::SmallVector<mlir::Type> types;
  forEachRuntime(results, [&](const Runtime &result) { types.push_back(result.type.toMlir(e.context())); });

  auto reduce = e.create<hk::ReduceOp>(types, operands, static_cast<uint32_t>(axis));
  emitCombineRegion(e, reduce, elements, combine);
  mlir::ValueRange flat = reduce.getResults();
  return unflatten(results, flat);
}

Runtime largestOf(Emitter &e, const Runtime &integers) {
  Runtime flat = reshape(e, integers, {integers.type.numElements()});
  auto combine = [&](const Value &, const Value &left, const Value &right) -> llvm::SmallVector<mlir::Value> {
    return {e.create<arith::MaxSIOp>(left.asRuntime()->ir, right.asRuntime()->ir)};
  };
  return *emitReduce(e, flat, 0, combine).asRuntime();
}

/// Inserts `axis`, along which `input` was reduced, into `result` as a dimension of size 1.
static Runtime keepAxis(Emitter &e, const Runtime &result, const ValueType &input, int64_t axis) {
  return result.type.isScalar() ? splat(e, result, {1}, input.layout) : expandDims(e, result, axis);
}

/// Reduces along the argument `axis`, or along all axes if `axis` is None. The result keeps the reduced axis with size
/// 1 if the argument `keep_dims` is true. All tensors in `inputs` must have the same shape and layout.
static Value reduceInputs(Emitter &e, const Arguments &args, Value inputs, Combination combine) {
  bool keepDims = args.boolAt(e, "keep_dims");
  ValueType first = firstRuntime(inputs).type;
  if (first.isScalar())
    e.errorAt(args.where("input"), args.what("input") + " must be a tensor, but is " + first.toString());
  int64_t axis = 0;
  if (!args["axis"].isNone()) {
    axis = normalizeAxis(e, args.where("axis"), args.intAt(e, "axis"), first.rank());
  } else {
    if (keepDims)
      e.errorAt(args.where("keep_dims"), "keep_dims=True needs an axis: a reduction of everything gives a scalar");
    inputs = mapRuntime(inputs, [&](const Runtime &input) { return reshape(e, input, {first.numElements()}); });
  }
  Value results = emitReduce(e, inputs, axis, combine);
  if (keepDims)
    results = mapRuntime(results, [&](const Runtime &result) { return keepAxis(e, result, first, axis); });
  return results;
}

// reduce --------------------------------------------------------------------------------------------------------------

static Value reduceBuiltin(Emitter &e, Arguments &args) {
  ElementFunction function{
      args["combine_fn"], args.where("combine_fn"), "the combine function", "pairs of elements",
      "pass the values that it needs as another operand of the reduction: gl.reduce((x, y), axis, function)"};
  return reduceInputs(e, args, combinedTensorsAt(e, args, "input", "a reduction"),
                      [&](const Value &form, const Value &left, const Value &right) {
                        return combineByCall(e, function, form, left, right);
                      });
}

// Named reductions ----------------------------------------------------------------------------------------------------

template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value namedReduction(Emitter &e, const Arguments &args, Runtime input) {
  DType dtype = input.type.dtype();
  auto combine = [&](const Value &, const Value &left, const Value &right) -> llvm::SmallVector<mlir::Value> {
    mlir::Value a = left.asRuntime()->ir, b = right.asRuntime()->ir;
    if (dtype.isFloat())
      return {e.create<FloatOp>(a, b)};
    if (dtype.isSigned())
      return {e.create<SignedOp>(a, b)};
    return {e.create<UnsignedOp>(a, b)};
  };
  return reduceInputs(e, args, input, combine);
}

static Value sum(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args, "input");
  DType dtype = sumType(e, args, "dtype", input.type.dtype());
  return namedReduction<arith::AddFOp, arith::AddIOp, arith::AddIOp>(e, args, castTo(e, input, dtype));
}

/// Emits a reduction that computes the maximum or minimum. Elements narrower than 32 bits are widened, as in Gluon.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value extremum(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args, "input");
  DType dtype = input.type.dtype();
  if (dtype.bitWidth() < 32)
    dtype = dtype.isFloat() ? DType::Float32 : DType::Int32;
  return namedReduction<FloatOp, SignedOp, UnsignedOp>(e, args, castTo(e, input, dtype));
}

template <typename OpTy>
static Value bitReduction(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args, "input");
  if (input.type.dtype().isFloat())
    e.errorAt(args.where("input"),
              std::string(args.function) + " needs integers, but this is " + input.type.toString());
  return namedReduction<arith::AddFOp, OpTy, OpTy>(e, args, input);
}

static Value anyInWarp(Emitter &e, Arguments &args) {
  Runtime condition = numbersAt(e, args, "condition");
  if (condition.type.isScalar() || !condition.type.dtype().isBool())
    e.errorAt(args.where("condition"), "any_in_warp needs a tensor of bools, but this is " + condition.type.toString());
  return Runtime{e.create<hk::AnyInWarpOp>(condition.ir), condition.type.element};
}

std::span<const BuiltinEntry> reductionBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"any_in_warp", anyInWarp, "(condition)"},
      {"max", extremum<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>, "(input, axis=None, keep_dims=False)"},
      {"min", extremum<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>, "(input, axis=None, keep_dims=False)"},
      {"reduce", reduceBuiltin, "(input, axis, combine_fn, keep_dims=False)"},
      {"reduce_or", bitReduction<arith::OrIOp>, "(input, axis=None, keep_dims=False)"},
      {"sum", sum, "(input, axis=None, keep_dims=False, dtype=None)"},
      {"xor_sum", bitReduction<arith::XOrIOp>, "(input, axis=None, keep_dims=False)"},
  };
  return entries;
}

} // namespace hocket::frontend
