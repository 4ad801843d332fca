//===- MatrixOps.cpp - Operations of MatrixOps.td: verification -------------------===//
#include "dialect/hk/facts/MmaChecks.h"
#include "dialect/hk_nv/MmaSelection.h"

using namespace mlir;

namespace hocket::hk_nv {

LogicalResult MmaOp::verify() {
  RankedTensorType acc = getAcc().getType();
  const hk::MmaOperandTile operands[] = {{"a", 0, getA().getType()}, {"b", 1, getB().getType()}};
  auto &[a, b] = operands;
  if (failed(hk::verifyMmaShapes(*this, a, b, acc, /*maxRank=*/3)))
    return failure();
  auto layout = dyn_cast<MmaAttr>(acc.getEncoding());
  if (!layout || layout.getMajorVersion() != 2)
    return emitOpError() << "needs an accumulator in a #hk_nv.mma layout of version [2, 0], not " << acc.getEncoding();
  if (failed(hk::verifyMmaOperands(*this, operands, layout)) || failed(hk::verifyOneKWidth(*this, a, b)))
    return failure();
  if ((getUnsignedA() && !a.type.getElementType().isInteger()) ||
      (getUnsignedB() && !b.type.getElementType().isInteger()))
    return emitOpError() << "has 'unsigned_a' or 'unsigned_b' for an operand that is not an integer";
  const MmaInstruction *instruction = mmaInstructionOf(*this);
  if (!instruction)
    return emitOpError() << "cannot multiply " << a.type.getElementType() << " by " << b.type.getElementType();
  Type expected = isInteger(instruction->a) ? Type(IntegerType::get(getContext(), 32)) : Float32Type::get(getContext());
  if (acc.getElementType() != expected)
    return emitOpError() << "of " << a.type.getElementType() << " and " << b.type.getElementType() << " accumulates in "
                         << expected << ", not " << acc.getElementType();
  int64_t kWidth = a.kWidth();
  if (kWidth < instruction->elementsPerWord())
    return emitOpError() << "needs k_width of at least " << instruction->elementsPerWord() << " (4 bytes), not "
                         << kWidth;
  int64_t step = 2 * kNvidiaMmaLanesAlongK * kWidth;
  if (a.depth() % step != 0)
    return emitOpError() << "needs K to be a multiple of " << step << " (8 x k_width), but K is " << a.depth();
  return success();
}

} // namespace hocket::hk_nv
