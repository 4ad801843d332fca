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

/// Scans the run-time parts of `inputs`, which have one shape and layout, along argument `axisIndex`.
static Value emitScan(Emitter &e, const Arguments &args, const Value &inputs, size_t axisIndex, bool isReverse,
                      Combination combine) {
  ValueType first = firstRuntime(inputs).type;
  if (first.isScalar())
    e.errorAt(args.where(0), args.what(0) + " must be a tensor, but is " + first.toString());
  int64_t axis = normalizeAxis(e, args.where(axisIndex), args.intAt(e, axisIndex), first.rank());
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

/// associative_scan(input, axis, combine_fn, reverse=False)
static Value associativeScan(Emitter &e, Arguments &args) {
  ElementFunction function{
      args[2], args.where(2), "the combine function", "pairs of elements",
      "pass the values that it needs as another operand of the scan: gl.associative_scan((x, y), axis, "
      "function)"};
  Value inputs = combinedTensorsAt(e, args, 0, "a scan");
  return emitScan(e, args, inputs, 1, args.boolAt(e, 3), [&](const Value &form, const Value &left, const Value &right) {
    return combineByCall(e, function, form, left, right);
  });
}

/// cumsum(input, axis=0, reverse=False, dtype=None), cumprod(...)
template <typename FloatOp, typename IntOp>
static Value cumulative(Emitter &e, Arguments &args) {
  Runtime input = numbersAt(e, args);
  DType dtype = sumType(e, args, 3, input.type.dtype());
  return emitScan(e, args, castTo(e, input, dtype), 1, args.boolAt(e, 2),
                  [&](const Value &, const Value &left, const Value &right) -> llvm::SmallVector<mlir::Value> {
                    mlir::Value a = left.asRuntime()->ir, b = right.asRuntime()->ir;
                    return {dtype.isFloat() ? e.create<FloatOp>(a, b)->getResult(0)
                                            : e.create<IntOp>(a, b)->getResult(0)};
                  });
}

std::span<const BuiltinEntry> scanBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"associative_scan", associativeScan},
      {"cumprod", cumulative<arith::MulFOp, arith::MulIOp>},
      {"cumsum", cumulative<arith::AddFOp, arith::AddIOp>},
  };
  return entries;
}

} // namespace hocket::frontend
