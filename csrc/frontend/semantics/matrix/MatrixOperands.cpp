//===- MatrixOperands.cpp - Common checks of MMA builtins ---------------------------------===//
#include "frontend/semantics/matrix/MatrixOperands.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

Runtime matrixAt(Emitter &e, const Arguments &args, ParameterName parameter, std::string_view howToRead) {
  const Runtime *value = args[parameter].asRuntime();
  if (value && value->type.isTensor() && !value->type.isPointer())
    return *value;
  bool isShared = value && value->type.isMemDesc();
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be a tensor of numbers, but is " + args[parameter].describe(),
            {{}, isShared ? "read it first: smem.load(" + std::string(howToRead) + ")" : ""});
}

void checkMmaShapes(Emitter &e, const ValueType &a, const ValueType &b, const ValueType &acc) {
  size_t rank = acc.rank();
  bool fits = (rank == 2 || rank == 3) && a.rank() == rank && b.rank() == rank;
  if (fits)
    fits = a.shape[rank - 1] == b.shape[rank - 2] && a.shape[rank - 2] == acc.shape[rank - 2] &&
           b.shape[rank - 1] == acc.shape[rank - 1] &&
           (rank == 2 || (a.shape[0] == acc.shape[0] && b.shape[0] == acc.shape[0]));
  if (!fits)
    e.error("the shapes of the operands do not fit: a matrix multiply-accumulate needs [M, K] x [K, N] + [M, N]",
            {{{"a", a.toString()}, {"b", b.toString()}, {"acc", acc.toString()}}, {}});
}

std::string operandLayoutText(unsigned operand, std::string_view kWidth) {
  return "gl.DotOperandLayout(" + std::to_string(operand) + ", acc.layout, " + std::string(kWidth) + ")";
}

/// Returns the k_width of an operand's layout; 0 if the layout is not an operand layout for accumulators in `layout`.
static int64_t kWidthOf(const MatrixOperand &operand, mlir::Attribute layout) {
  auto dot = llvm::dyn_cast<hk::DotOperandAttr>(operand.value.type.layout);
  bool belongs = dot && dot.getParent() == layout && dot.getOpIdx() == operand.operand;
  return belongs ? dot.getKWidth() : 0;
}

int64_t checkOperandLayouts(Emitter &e, const Arguments &args, mlir::Attribute layout, const MatrixOperand &a,
                            const MatrixOperand &b, int64_t elementsPerLane) {
  int64_t widthA = kWidthOf(a, layout), widthB = kWidthOf(b, layout);
  int64_t known = widthA ? widthA : widthB, advised = known ? known : elementsPerLane;
  for (auto [operand, width] : {std::pair(&a, widthA), std::pair(&b, widthB)}) {
    if (width)
      continue;
    mlir::Attribute expected = hk::DotOperandAttr::get(e.context(), operand->operand, layout, advised);
    std::string text = operandLayoutText(operand->operand, std::to_string(advised));
    e.errorAt(args.where(operand->parameter),
              args.what(operand->parameter) + " has a layout that does not match the accumulator's layout",
              {{{"has", describeLayout(operand->value.type.layout)}, {"needs", describeLayout(expected)}},
               "convert it: gl.convert_layout(" + std::string(operand->parameter.text) + ", " + text +
                   ")\nor load it from shared memory: smem.load(" + text + ")"});
  }
  if (widthA != widthB)
    e.error("the operands of " + std::string(args.function) + " have different k_width: " + std::to_string(widthA) +
                " and " + std::to_string(widthB),
            {{{"a", describeLayout(a.value.type.layout)}, {"b", describeLayout(b.value.type.layout)}},
             "use one k_width for both operands: each lane multiplies the elements that it holds"});
  return widthA;
}

} // namespace hocket::frontend
