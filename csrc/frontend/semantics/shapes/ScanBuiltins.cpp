//===- ScanBuiltins.cpp - associative_scan with any combine function, and cumsum, cumprod -===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/FunctionRegion.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/CombinedTensors.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

/// Scans the tensors in `inputs`, which have the same shape and layout, along `axis`.
static Value emitScan(Emitter &e, const Arguments &args, const Value &inputs, bool isReverse, Combination combine) {
  ValueType first = firstRuntime(inputs).type;
  if (first.isScalar())
    e.errorAt(args.where("input"), args.what("input") + " must be a tensor, but is " + first.toString());
  int64_t axis = normalizeAxis(e, args.where("axis"), args.intAt(e, "axis"), first.rank());
  llvm::SmallVector<mlir::Value> operands;
  flatten(inputs, operands);
  llvm::SmallVector<mlir::Type> types =
      llvm::map_to_vector(operands, [](mlir::Value value) { return value.getType(); });
  auto scan = e.create<hk::ScanOp>(types, operands, static_cast<uint32_t>(axis), isReverse);
  Value elements = mapRuntime(inputs, [](const Runtime &input) { return Runtime{{}, input.type.element}; });
  emitCombineRegion(e, scan, elements, combine);
  mlir::ValueRange flat = scan.getResults();
  return unflatten(inputs, flat);
}

static Value associativeScan(Emitter &e, Arguments &args) {
  ElementFunction function{
      args["combine_fn"], args.where("combine_fn"), "the combine function", "pairs of elements",
      "pass the values that it needs as another operand of the scan: gl.associative_scan((x, y), axis, "
      "function)"};
  Value inputs = combinedTensorsAt(e, args, "input", "a scan");
  return emitScan(e, args, inputs, args.boolAt(e, "reverse"),
                  [&](const Value &form, const Value &left, const Value &right) {
                    return combineByCall(e, function, form, left, right);
                  });
}

template <typename FloatOp, typename IntOp>
static Value cumulative(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args, "input");
  DType dtype = sumType(e, args, "dtype", input.type.dtype());
  return emitScan(e, args, castTo(e, input, dtype), args.boolAt(e, "reverse"),
                  [&](const Value &, const Value &left, const Value &right) -> llvm::SmallVector<mlir::Value> {
                    mlir::Value a = left.asRuntime()->ir, b = right.asRuntime()->ir;
                    return {dtype.isFloat() ? e.create<FloatOp>(a, b)->getResult(0)
                                            : e.create<IntOp>(a, b)->getResult(0)};
                  });
}

std::span<const BuiltinEntry> scanBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"associative_scan", associativeScan, "(input, axis, combine_fn, reverse=False)"},
      {"cumprod", cumulative<arith::MulFOp, arith::MulIOp>, "(input, axis=0, reverse=False, dtype=None)"},
      {"cumsum", cumulative<arith::AddFOp, arith::AddIOp>, "(input, axis=0, reverse=False, dtype=None)"},
  };
  return entries;
}

} // namespace hocket::frontend
