//===- DotBuiltins.cpp - dot_fma --------------------------------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static void checkOperandLayout(Emitter &e, const Arguments &args, size_t index, const ValueType &type,
                               mlir::Attribute accLayout) {
  mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), index, accLayout, 0);
  if (type.layout != expected)
    e.errorAt(args.where(index), args.what(index) + " has a layout that does not belong to the accumulator's",
              {{{"has", describeLayout(type.layout)}, {"needs", describeLayout(expected)}},
               "convert it: gl.convert_layout(" + std::string(args.parameter(index)) + ", gl.DotOperandLayout(" +
                   std::to_string(index) + ", acc.layout))"});
}

/// dot_fma(a, b, acc)
static Value dotFma(Emitter &e, Arguments &args) {
  constexpr std::string_view kOperand = "gl.DotOperandLayout(index, acc.layout)";
  Runtime a = matrixAt(e, args, 0, kOperand), b = matrixAt(e, args, 1, kOperand), acc = matrixAt(e, args, 2, kOperand);
  checkProductShapes(e, a.type, b.type, acc.type);
  if (!llvm::isa<hk::BlockedAttr>(acc.type.layout))
    e.errorAt(args.where(2), "`acc` of dot_fma must have a BlockedLayout",
              {{{"has", describeLayout(acc.type.layout)}},
               llvm::isa<hk_amd::MfmaAttr>(acc.type.layout) ? "use matrix cores: gl.amd.cdna3.mfma(a, b, acc)"
               : llvm::isa<hk_nv::MmaAttr>(acc.type.layout) ? "use tensor cores: gl.nvidia.ampere.mma_v2(a, b, acc)"
                                                            : ""});
  checkOperandLayout(e, args, 0, a.type, acc.type.layout);
  checkOperandLayout(e, args, 1, b.type, acc.type.layout);
  DType element = a.type.dtype(), accElement = acc.type.dtype();
  for (size_t i = 0; i < 3; ++i) {
    DType dtype = args[i].asRuntime()->type.dtype();
    if (dtype.isFloat8() || dtype.isBool())
      e.errorAt(args.where(i),
                "dot_fma cannot multiply " + std::string(dtype.name()) + ", but " + args.what(i) + " is " +
                    args[i].describe(),
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
  static constexpr BuiltinEntry entries[] = {{"dot_fma", dotFma}};
  return entries;
}

} // namespace hocket::frontend
