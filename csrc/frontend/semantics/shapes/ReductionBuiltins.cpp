//===- ReductionBuiltins.cpp - reduce with any combine function, and sum, max, min, xor_sum, reduce_or -===//
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Conversions.h"
#include "frontend/semantics/operators/Operators.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

/// Fills the combine region: n left and n right scalars to n results, at the insertion point.
using CombineEmitter = llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Runtime> scalars)>;

static ValueType reducedType(const ValueType &type, int64_t axis) {
  if (type.rank() == 1)
    return type.element;
  llvm::SmallVector<int64_t, 4> shape = type.shape;
  shape.erase(shape.begin() + axis);
  return ValueType::tensor(type.element, shape, hk::SliceAttr::get(type.layout.getContext(), axis, type.layout));
}

static std::vector<Runtime> emitReduce(Emitter &e, llvm::ArrayRef<Runtime> inputs, int64_t axis,
                                       CombineEmitter combine) {
  std::vector<ValueType> types;
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<mlir::Value> operands;
  for (const Runtime &input : inputs) {
    types.push_back(reducedType(input.type, axis));
    resultTypes.push_back(types.back().toMlir(e.context()));
    operands.push_back(input.ir);
  }
  auto reduce = e.create<hk::ReduceOp>(resultTypes, operands, static_cast<uint32_t>(axis));
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  mlir::Block *block = e.builder.createBlock(&reduce.getCombine());
  std::vector<Runtime> scalars;
  for (size_t i = 0; i < 2 * inputs.size(); ++i) {
    ValueType scalar(inputs[i % inputs.size()].type.element);
    scalars.push_back({block->addArgument(scalar.toMlir(e.context()), e.loc()), scalar});
  }
  e.create<hk::ReduceReturnOp>(combine(scalars));
  std::vector<Runtime> results;
  for (auto [result, type] : llvm::zip_equal(reduce.getResults(), types))
    results.push_back({result, type});
  return results;
}

/// The reduced axis again, with size 1.
static Runtime keepAxis(Emitter &e, const Runtime &result, const ValueType &input, int64_t axis) {
  return result.type.isScalar() ? splat(e, result, {1}, input.layout) : expandDims(e, result, axis);
}

/// Reduces along argument `axisIndex`, or everything where it is None, keeping the axis where argument `keepIndex`
/// says.
static std::vector<Runtime> reduceInputs(Emitter &e, const Arguments &args, std::vector<Runtime> inputs,
                                         size_t axisIndex, size_t keepIndex, CombineEmitter combine) {
  bool keepDims = args.boolAt(e, keepIndex);
  if (inputs.front().type.isScalar())
    e.errorAt(args.where(0), args.what(0) + " must be a tensor, but is " + inputs.front().type.toString());
  int64_t axis = 0;
  if (!args[axisIndex].isNone()) {
    axis = normalizeAxis(e, args.where(axisIndex), args.intAt(e, axisIndex), inputs.front().type.rank());
  } else {
    if (keepDims)
      e.errorAt(args.where(keepIndex), "keep_dims=True needs an axis: a reduction of everything gives a scalar");
    for (Runtime &input : inputs)
      input = reshape(e, input, {input.type.numElements()});
  }
  std::vector<Runtime> results = emitReduce(e, inputs, axis, combine);
  if (keepDims)
    for (auto [result, input] : llvm::zip_equal(results, inputs))
      result = keepAxis(e, result, input.type, axis);
  return results;
}

// reduce --------------------------------------------------------------------------------------------------------------

static std::vector<Runtime> tensorsAt(Emitter &e, const Arguments &args, size_t index) {
  const Tuple *tuple = args[index].asTuple();
  if (!tuple)
    return {tensorOrScalarAt(e, args, index)};
  std::vector<Runtime> inputs;
  for (const Value &element : tuple->elements) {
    inputs.push_back(e.toRuntime(element, args.what(index)));
    const ValueType &first = inputs.front().type, &type = inputs.back().type;
    if (type.shape != first.shape || type.layout != first.layout)
      e.errorAt(args.where(index), "the tensors of a reduction must agree in shape and layout",
                {{{"first", first.toString()}, {"other", type.toString()}}, {}});
  }
  if (inputs.empty())
    e.errorAt(args.where(index), args.what(index) + " is an empty tuple");
  return inputs;
}

/// Stops if the combine function, whose operations are in `region`, does what cannot be done per pair of elements.
static void checkCombineFunction(Emitter &e, const Arguments &args, mlir::Region &region) {
  region.walk([&](mlir::Operation *op) {
    bool hasTiles =
        llvm::any_of(llvm::concat<mlir::Type>(op->getOperandTypes(), op->getResultTypes()),
                     [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType, hk::MemDescType>(type); });
    if (hasTiles)
      e.errorAt(args.where(2), "the combine function must work on scalars, but makes a tensor",
                {{}, "it is called for pairs of elements; make tensors outside"});
    if (llvm::isa<hk::LoadOp, hk::StoreOp, hk::AtomicRmwOp, hk::AtomicCasOp, hk::BarrierOp>(op))
      e.errorAt(args.where(2), "the combine function must not access memory or wait at barriers",
                {{}, "pass what it needs as another operand of the reduction: gl.reduce((x, y), axis, function)"});
  });
}

/// The results of a call of the combine function, which must have the types of the elements.
static llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const Arguments &args, const Value &function,
                                                    llvm::ArrayRef<Runtime> scalars) {
  size_t count = scalars.size() / 2;
  mlir::Region &region = *e.builder.getInsertionBlock()->getParent();
  Value combined = e.call(function, std::vector<Value>(scalars.begin(), scalars.end()));
  checkCombineFunction(e, args, region);
  std::vector<Value> parts = combined.asTuple() ? combined.asTuple()->elements : std::vector<Value>{combined};
  if (parts.size() != count)
    e.errorAt(args.where(2), "the combine function must return " + std::to_string(count) + " value" +
                                 (count == 1 ? "" : "s") + ", but returns " + combined.describe());
  llvm::SmallVector<mlir::Value> results;
  for (auto [part, scalar] : llvm::zip(parts, scalars)) {
    Runtime value = e.toRuntime(part, "the result of the combine function");
    if (value.type != scalar.type)
      e.errorAt(args.where(2),
                "the combine function must return the element type " + scalar.type.toString() + ", but returns " +
                    value.type.toString(),
                {{}, "convert the input before the reduction, or the result inside the function"});
    results.push_back(value.ir);
  }
  return results;
}

/// reduce(input, axis, combine_fn, keep_dims=False)
static Value reduceBuiltin(Emitter &e, Arguments &args) {
  std::vector<Runtime> results =
      reduceInputs(e, args, tensorsAt(e, args, 0), 1, 3,
                   [&](llvm::ArrayRef<Runtime> scalars) { return combineByCall(e, args, args[2], scalars); });
  if (!args[0].asTuple())
    return results.front();
  return Tuple{std::vector<Value>(results.begin(), results.end()), {}};
}

// Named reductions ----------------------------------------------------------------------------------------------------

template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value namedReduction(Emitter &e, const Arguments &args, Runtime input) {
  DType dtype = input.type.dtype();
  auto combine = [&](llvm::ArrayRef<Runtime> scalars) -> llvm::SmallVector<mlir::Value> {
    mlir::Value left = scalars[0].ir, right = scalars[1].ir;
    if (dtype.isFloat())
      return {e.create<FloatOp>(left, right)};
    if (dtype.isSigned())
      return {e.create<SignedOp>(left, right)};
    return {e.create<UnsignedOp>(left, right)};
  };
  return reduceInputs(e, args, {input}, 1, 2, combine).front();
}

static Runtime numbersAt(Emitter &e, const Arguments &args) {
  Runtime input = tensorOrScalarAt(e, args, 0);
  if (input.type.isPointer())
    e.errorAt(args.where(0), args.what(0) + " must hold numbers, but is " + input.type.toString());
  return input;
}

/// sum(input, axis=None, keep_dims=False, dtype=None)
static Value sum(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args);
  DType dtype = input.type.dtype();
  if (!args[3].isNone())
    dtype = e.requireDType(args[3], args.what(3), args.where(3));
  else if (dtype.isInteger() && dtype.bitWidth() < 32)
    dtype = DType::integer(32, dtype.isSigned());
  else if (dtype.isFloat8())
    dtype = DType::Float32;
  return namedReduction<arith::AddFOp, arith::AddIOp, arith::AddIOp>(e, args, castTo(e, input, dtype));
}

/// max(input, axis=None, keep_dims=False), min(...): narrow elements are widened, as Gluon does.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value extremum(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args);
  DType dtype = input.type.dtype();
  if (dtype.bitWidth() < 32)
    dtype = dtype.isFloat() ? DType::Float32 : DType::Int32;
  return namedReduction<FloatOp, SignedOp, UnsignedOp>(e, args, castTo(e, input, dtype));
}

template <typename OpTy>
static Value bitReduction(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args);
  if (input.type.dtype().isFloat())
    e.errorAt(args.where(0), std::string(args.function) + " needs integers, but this is " + input.type.toString());
  return namedReduction<arith::AddFOp, OpTy, OpTy>(e, args, input);
}

std::span<const BuiltinEntry> reductionBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"max", extremum<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>},
      {"min", extremum<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>},
      {"reduce", reduceBuiltin},
      {"reduce_or", bitReduction<arith::OrIOp>},
      {"sum", sum},
      {"xor_sum", bitReduction<arith::XOrIOp>},
  };
  return entries;
}

} // namespace hocket::frontend
