//===- DotBuiltins.cpp - dot_fma --------------------------------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static void checkOperandLayout(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &type,
                               mlir::Attribute accLayout) {
  unsigned operand = parameter == "a" ? 0 : 1;
  mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), operand, accLayout, 0);
  if (type.layout != expected)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " has a layout that does not match the accumulator's layout",
              {{{"has", describeLayout(type.layout)}, {"needs", describeLayout(expected)}},
               "convert it: gl.convert_layout(" + std::string(parameter.text) + ", gl.DotOperandLayout(" +
                   std::to_string(operand) + ", acc.layout))"});
}

static Value dotFma(Emitter &e, Arguments &args) {
  constexpr std::string_view kOperand = "gl.DotOperandLayout(index, acc.layout)";
  Runtime a = matrixAt(e, args, "a", kOperand), b = matrixAt(e, args, "b", kOperand),
          acc = matrixAt(e, args, "acc", kOperand);
  checkMmaShapes(e, a.type, b.type, acc.type);
  if (!llvm::isa<hk::BlockedAttr>(acc.type.layout))
    e.errorAt(args.where("acc"), "`acc` of dot_fma must have a BlockedLayout",
              {{{"has", describeLayout(acc.type.layout)}},
               llvm::isa<hk_amd::MfmaAttr>(acc.type.layout) ? "use matrix cores: gl.amd.cdna3.mfma(a, b, acc)"
               : llvm::isa<hk_nv::MmaAttr>(acc.type.layout) ? "use tensor cores: gl.nvidia.ampere.mma_v2(a, b, acc)"
                                                            : ""});
  checkOperandLayout(e, args, "a", a.type, acc.type.layout);
  checkOperandLayout(e, args, "b", b.type, acc.type.layout);
  DType element = a.type.dtype(), accElement = acc.type.dtype();
  for (ParameterName operand : {ParameterName("a"), ParameterName("b"), ParameterName("acc")}) {
    DType dtype = args[operand].asRuntime()->type.dtype();
    if (dtype.isFloat8() || dtype.isBool())
      e.errorAt(args.where(operand),
                "dot_fma cannot multiply " + std::string(dtype.name()) + ", but " + args.what(operand) + " is " +
                    args[operand].describe(),
                {{},
                 dtype.isFloat8() ? "convert it first, as in x.to(gl.float16), which holds every float8"
                                  : "convert it first, as in x.to(gl.int8)"});
  }
  bool sameElements = b.type.dtype() == element;
  bool accHolds = accElement == element ||
                  (element.isFloat() && accElement.isFloat() && accElement.bitWidth() > element.bitWidth());
  if (!sameElements || !accHolds)
    e.error("dot_fma needs operands of one dtype and an accumulator of that dtype or a wider float",
            {{{"a", a.type.toString()}, {"b", b.type.toString()}, {"acc", acc.type.toString()}},
             "convert first, as in a.to(acc.dtype)"});
  return e.make<hk::DotFmaOp>(acc.type, acc.type.toMlir(e.context()), a.ir, b.ir, acc.ir);
}

std::span<const BuiltinEntry> dotBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"dot_fma", dotFma, "(a, b, acc)", /*returnsAccumulator=*/true}};
  return entries;
}

} // namespace hocket::frontend
