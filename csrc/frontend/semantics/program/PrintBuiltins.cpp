//===- PrintBuiltins.cpp - device_print ---------------------------------------------===//
#include "dialect/hk/facts/PrintText.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/CompileTime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {

/// Maximum number of values in one gl.device_print. CUDA's printf takes 32 values, of which the prefix and the element
/// indices of a printed line need up to ten.
static constexpr size_t kMostValues = 20;

/// Returns `value` converted to 32 or 64 bits, and its printf directive.
static std::pair<Runtime, std::string> shownAs(Emitter &e, const Runtime &value, bool isHex) {
  DType type = value.type.dtype();
  bool isWide = type.bitWidth() == 64;
  if (isHex && type.isFloat()) {
    DType bits = DType::integer(type.bitWidth(), /*isSigned=*/false);
    ValueType asBits = value.type.withElement(bits);
    Runtime number = e.make<mlir::arith::BitcastOp>(asBits, asBits.toMlir(e.context()), value.ir);
    return {isWide ? number : castTo(e, number, DType::UInt32), "{x}"};
  }
  if (type.isFloat())
    return {isWide ? value : castTo(e, value, DType::Float32), "{f}"};
  if (isHex && !isWide) // print only the bits of `type`, without sign extension
    return {castTo(e, castTo(e, value, DType::integer(std::max(8u, type.bitWidth()), false)), DType::UInt32), "{x}"};
  if (isHex)
    return {value, "{x}"};
  if (type.isSigned())
    return {isWide ? value : castTo(e, value, DType::Int32), "{d}"};
  return {isWide ? value : castTo(e, value, DType::UInt32), "{u}"};
}

static Value devicePrint(Emitter &e, Arguments &args) {
  std::string text = hk::escapePrintText(args.stringAt(e, "prefix"));
  bool isHex = args.boolAt(e, "hex");
  std::vector<Runtime> values;
  const Runtime *tensor = nullptr;
  for (const Value &shown : args["args"].parts()) {
    text += text.empty() ? "" : " ";
    if (shown.isCompileTime()) {
      text += hk::escapePrintText(py::str(shown.toPython()).cast<std::string>());
      continue;
    }
    const Runtime *value = shown.asRuntime();
    if (!value || value->type.isMemDesc() || value->type.isPointer())
      e.errorAt(
          args.where("args"), "gl.device_print shows numbers and tensors of numbers, not " + shown.describe(),
          {{}, value && value->type.isPointer() ? "print offsets, or the values that the pointers point to" : ""});
    auto [number, place] = shownAs(e, *value, isHex);
    text += place;
    values.push_back(number);
    if (value->type.isTensor())
      tensor = tensor ? tensor : value;
  }
  if (values.size() > kMostValues)
    e.error("gl.device_print shows at most " + std::to_string(kMostValues) + " values in a line, not " +
            std::to_string(values.size()));
  std::vector<mlir::Value> operands;
  for (Runtime &value : values) {
    if (tensor && value.type.isScalar())
      value = splat(e, value, tensor->type.shape, tensor->type.layout);
    if (tensor)
      value = settledIn(e, value, tensor->type.layout);
    if (tensor && (value.type.shape != tensor->type.shape || value.type.layout != tensor->type.layout))
      e.errorAt(
          args.where("args"), "gl.device_print shows tensors of one shape and layout in a line",
          {{{"first", tensor->type.toString()}, {"other", value.type.toString()}}, "print them in lines of their own"});
    operands.push_back(value.ir);
  }
  e.create<hk::PrintOp>(text, operands);
  return Value::none();
}

std::span<const BuiltinEntry> printBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"device_print", devicePrint, "(prefix, *args, hex=False)"}};
  return entries;
}

} // namespace hocket::frontend
