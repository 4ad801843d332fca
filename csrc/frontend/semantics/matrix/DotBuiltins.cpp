//===- DotBuiltins.cpp - dot_fma --------------------------------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/Layouts.h"
#include "frontend/semantics/matrix/MatrixOperands.h"

namespace hocket::frontend {

Runtime matrixAt(Emitter &e, const Arguments &args, size_t index, std::string_view howToRead) {
  const Runtime *value = args[index].asRuntime();
  if (value && value->type.isTensor() && !value->type.isPointer())
    return *value;
  bool isShared = value && value->type.isMemDesc();
  e.errorAt(args.where(index), args.what(index) + " must be a tensor of numbers, but is " + args[index].describe(),
            {{}, isShared ? "read it first: smem.load(" + std::string(howToRead) + ")" : ""});
}

static void checkOperandLayout(Emitter &e, const Arguments &args, size_t index, const ValueType &type,
                               mlir::Attribute accLayout) {
  mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), index, accLayout, 0);
  if (type.layout != expected)
    e.errorAt(args.where(index), args.what(index) + " has a layout that does not belong to the accumulator's",
              {{{"has", describeLayout(type.layout)}, {"needs", describeLayout(expected)}},
               "convert it: gl.convert_layout(" + std::string(args.parameter(index)) + ", gl.DotOperandLayout(" +
                   std::to_string(index) + ", acc.layout))"});
}

void checkProductShapes(Emitter &e, const ValueType &a, const ValueType &b, const ValueType &acc) {
  size_t rank = acc.rank();
  bool fits = (rank == 2 || rank == 3) && a.rank() == rank && b.rank() == rank;
  if (fits)
    fits = a.shape[rank - 1] == b.shape[rank - 2] && a.shape[rank - 2] == acc.shape[rank - 2] &&
           b.shape[rank - 1] == acc.shape[rank - 1] &&
           (rank == 2 || (a.shape[0] == acc.shape[0] && b.shape[0] == acc.shape[0]));
  if (!fits)
    e.error("the shapes of a matrix product do not fit: it needs [M, K] x [K, N] + [M, N]",
            {{{"a", a.toString()}, {"b", b.toString()}, {"acc", acc.toString()}}, {}});
}

/// dot_fma(a, b, acc)
static Value dotFma(Emitter &e, Arguments &args) {
  constexpr std::string_view kOperand = "gl.DotOperandLayout(index, acc.layout)";
  Runtime a = matrixAt(e, args, 0, kOperand), b = matrixAt(e, args, 1, kOperand), acc = matrixAt(e, args, 2, kOperand);
  checkProductShapes(e, a.type, b.type, acc.type);
  if (!llvm::isa<hk::BlockedAttr>(acc.type.layout))
    e.errorAt(args.where(2), "`acc` of dot_fma must have a BlockedLayout",
              {{{"has", describeLayout(acc.type.layout)}},
               llvm::isa<hk_amd::MfmaAttr>(acc.type.layout) ? "use matrix cores: gl.amd.cdna3.mfma(a, b, acc)" : ""});
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
