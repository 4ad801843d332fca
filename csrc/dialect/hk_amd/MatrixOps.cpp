//===- MatrixOps.cpp - Operations of MatrixOps.td: verification ---------------------===//
#include "dialect/hk/facts/MmaChecks.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include <set>

using namespace mlir;

namespace hocket::hk_amd {

/// Verifies that the operands have the dot operand layouts of the accumulators' layout, and returns that layout; null
/// after an error.
static MfmaAttr verifyLayouts(Operation *op, ArrayRef<hk::MmaOperandTile> operands, RankedTensorType acc) {
  auto layout = dyn_cast<MfmaAttr>(acc.getEncoding());
  if (!layout)
    op->emitOpError() << "needs an accumulator in a #hk_amd.mfma layout, not " << acc.getEncoding();
  return layout && succeeded(hk::verifyMmaOperands(op, operands, layout)) ? layout : MfmaAttr();
}

// mfma ---------------------------------------------------------------------------------------------------------------

LogicalResult MfmaOp::verify() {
  RankedTensorType acc = getAcc().getType();
  const hk::MmaOperandTile operands[] = {{"a", 0, getA().getType()}, {"b", 1, getB().getType()}};
  auto &[a, b] = operands;
  if (failed(hk::verifyMmaShapes(*this, a, b, acc, /*maxRank=*/3)))
    return failure();
  MfmaAttr layout = verifyLayouts(*this, operands, acc);
  if (!layout)
    return failure();
  if (failed(hk::verifyOneKWidth(*this, a, b)))
    return failure();
  int64_t kWidth = a.kWidth();
  const MfmaInstruction *instruction =
      selectMfma(layout, a.type.getElementType(), b.type.getElementType(), [&] { return emitOpError(); });
  if (!instruction)
    return failure();
  Type expected = typeOf(getContext(), instruction->accumulator);
  if (acc.getElementType() != expected)
    return emitOpError() << "of " << a.type.getElementType() << " and " << b.type.getElementType() << " accumulates in "
                         << expected << ", not " << acc.getElementType();
  if (layout.getElementBits() != expected.getIntOrFloatBitWidth())
    return emitOpError() << "accumulates in " << expected
                         << ", which needs a layout with element_bits = " << expected.getIntOrFloatBitWidth()
                         << ", not " << layout.getElementBits();
  int64_t step = stepAlongK(layout, kWidth, *instruction);
  if (a.depth() % step != 0)
    return emitOpError() << "needs K to be a multiple of " << step << " (" << layout.getParams().laneGroupsAlongK()
                         << " groups of lanes with " << std::max<int64_t>(kWidth, instruction->elementsPerLane)
                         << " elements each), but K is " << a.depth();
  return success();
}

// mfma_scaled ---------------------------------------------------------------------------------------------------------

/// Returns the number of elements of `format` in one i8 of the operand.
static int64_t elementsPerByte(ScaledFormat format) { return format == ScaledFormat::E2M1 ? 2 : 1; }

static LogicalResult verifyScaledOperand(Operation *op, const hk::MmaOperandTile &operand, ScaledFormat format) {
  Type element = operand.type.getElementType();
  bool isFloat8 = (format == ScaledFormat::E4M3 && isa<Float8E4M3FNType>(element)) ||
                  (format == ScaledFormat::E5M2 && isa<Float8E5M2Type>(element));
  if (!element.isInteger(8) && !isFloat8)
    return op->emitOpError() << "needs " << operand.name << " of " << stringifyScaledFormat(format) << " as i8"
                             << (format == ScaledFormat::E4M3   ? " or f8E4M3FN"
                                 : format == ScaledFormat::E5M2 ? " or f8E5M2"
                                                                : "")
                             << ", not " << element;
  if (operand.kWidth() != scaledKWidth(format))
    return op->emitOpError() << "needs " << operand.name << " of " << stringifyScaledFormat(format)
                             << " with k_width = " << scaledKWidth(format) << ", not " << operand.kWidth();
  return success();
}

using ElementSet = std::set<std::vector<int32_t>>;

static ElementSet elementsOfRegisters(const LinearLayout &layout) {
  ElementSet elements;
  for (int32_t reg = 0; reg < layout.getInDimSize(Dim::Register); ++reg) {
    Coords coords = layout.apply({{Dim::Register, reg}});
    elements.insert({coords[tensorDim(0)], coords[tensorDim(1)]});
  }
  return elements;
}

/// True if both layouts assign the same scales to each lane of each warp. The order of a lane's registers may differ.
static bool putsScalesAlike(const LinearLayout &actual, const LinearLayout &expected) {
  return actual.getBasisRows(Dim::Lane) == expected.getBasisRows(Dim::Lane) &&
         actual.getBasisRows(Dim::Warp) == expected.getBasisRows(Dim::Warp) &&
         elementsOfRegisters(actual) == elementsOfRegisters(expected);
}

/// Verifies that each lane of each warp holds the scales that the instruction reads from this lane.
static LogicalResult verifyScale(Operation *op, StringRef name, Value scale, MfmaAttr layout, unsigned opIdx,
                                 ArrayRef<int64_t> shape) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getShape() != shape || !type.getElementType().isInteger(8))
    return op->emitOpError() << "needs " << name << " as i8 of shape [" << shape << "], one per " << kElementsPerScale
                             << " elements along K, but it is " << type;
  if (hk::isUndecided(type.getEncoding()) ||
      !putsScalesAlike(hk::toLinearLayout(type), mfmaScaleLayout(opIdx, shape, layout.getParams())))
    return op->emitOpError() << "needs " << name << " in layout " << scaleLayoutOf(layout, opIdx, shape) << ", not "
                             << type.getEncoding();
  return success();
}

LogicalResult MfmaScaledOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getAcc().getType());
  return success();
}

LogicalResult MfmaScaledOp::verify() {
  RankedTensorType acc = getAcc().getType();
  const hk::MmaOperandTile operands[] = {{"a", 0, getA().getType(), elementsPerByte(getAFormat())},
                                         {"b", 1, getB().getType(), elementsPerByte(getBFormat())}};
  auto &[a, b] = operands;
  if (failed(hk::verifyMmaShapes(*this, a, b, acc, /*maxRank=*/2)))
    return failure();
  MfmaAttr layout = verifyLayouts(*this, operands, acc);
  if (!layout)
    return failure();
  if (!findScaledMfma(layout.getVersion(), layout.getM(), layout.getN(), layout.getK()))
    return emitOpError() << "needs a layout of version 4 with instr_shape [16, 16, 128] or [32, 32, 64], not version "
                         << layout.getVersion() << " with [" << layout.getInstrShape() << "]";
  if (!acc.getElementType().isF32())
    return emitOpError() << "accumulates in f32, not " << acc.getElementType();
  if (failed(verifyScaledOperand(*this, a, getAFormat())) || failed(verifyScaledOperand(*this, b, getBFormat())))
    return failure();
  int64_t depth = a.depth();
  if (depth % layout.getK() != 0)
    return emitOpError() << "needs K to be a multiple of " << layout.getK() << ", but K is " << depth;
  int64_t scales = depth / kElementsPerScale;
  if (failed(verifyScale(*this, "the scale of a", getAScale(), layout, 0, {acc.getShape()[0], scales})))
    return failure();
  return verifyScale(*this, "the scale of b", getBScale(), layout, 1, {acc.getShape()[1], scales});
}

} // namespace hocket::hk_amd
