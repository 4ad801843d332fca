//===- CombinedTensors.cpp - Operands of reductions and scans ---------------------------===//
#include "frontend/semantics/shapes/CombinedTensors.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/ValueParts.h"

namespace hocket::frontend {

Runtime firstRuntime(const Value &value) {
  std::optional<Runtime> first;
  forEachRuntime(value, [&](const Runtime &part) {
    if (!first)
      first = part;
  });
  return *first;
}

/// Returns `value` with compile-time numbers converted to run-time scalars, also inside nested tuples.
static Value withRuntimeParts(Emitter &e, const Value &value, const std::string &what) {
  if (!value.asTuple())
    return e.toRuntime(value, what);
  std::vector<Value> parts;
  for (const Value &part : value.parts())
    parts.push_back(withRuntimeParts(e, part, what));
  return value.withParts(std::move(parts));
}

Value combinedTensorsAt(Emitter &e, const Arguments &args, ParameterName parameter, const std::string &operation) {
  if (!args[parameter].asTuple())
    return tensorOrScalarAt(e, args, parameter);
  Value inputs = withRuntimeParts(e, args[parameter], args.what(parameter));
  mlir::Attribute layout;
  forEachRuntime(inputs, [&](const Runtime &input) {
    if (input.type.isTensor())
      if (mlir::Attribute common =
              layout ? commonLayout(layout, input.type.layout, input.type.shape) : input.type.layout)
        layout = common;
  });
  inputs = mapRuntime(inputs, [&](const Runtime &input) { return settledIn(e, input, layout); });
  std::optional<ValueType> first;
  forEachRuntime(inputs, [&](const Runtime &input) {
    if (!first)
      first = input.type;
    if (input.type.shape != first->shape || input.type.layout != first->layout)
      e.errorAt(args.where(parameter), "the tensors of " + operation + " must agree in shape and layout",
                {{{"first", first->toString()}, {"other", input.type.toString()}}, {}});
  });
  if (!first)
    e.errorAt(args.where(parameter), args.what(parameter) + " is an empty tuple");
  return inputs;
}

Runtime numbersAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  Runtime input = tensorOrScalarAt(e, args, parameter);
  if (input.type.isPointer())
    e.errorAt(args.where(parameter), args.what(parameter) + " must hold numbers, but is " + input.type.toString());
  return input;
}

DType sumType(Emitter &e, const Arguments &args, ParameterName parameter, DType input) {
  if (!args[parameter].isNone())
    return e.requireDType(args[parameter], args.what(parameter), args.where(parameter));
  if (input.isInteger() && input.bitWidth() < 32)
    return DType::integer(32, input.isSigned());
  return input.isFloat8() ? DType(DType::Float32) : input;
}

} // namespace hocket::frontend
