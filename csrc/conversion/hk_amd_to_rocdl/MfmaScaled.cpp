//===- MfmaScaled.cpp - Lowers hk_amd.mfma_scaled -------------------------------------------===//
//
//   e4m3, e5m2, e2m3, e3m2, e2m1     v_mfma_scale_f32_{16x16x128,32x32x64}_f8f6f4
//
// The operand cbsz encodes the format of a, and blgp the format of b. A lane holds 32 elements of each operand: 32, 24
// or 16 bytes. Scales are bytes: four scales share a register, and op_sel selects one scale. If one operand has no
// scales, 127 is passed, which encodes 2^0. If neither operand has scales, both scales are 0, and LLVM selects the
// instruction without scales, v_mfma_f32_..._f8f6f4.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/MatrixTiles.h"
#include "dialect/hk_amd/MfmaSelection.h"

using namespace mlir;

namespace hocket {

namespace {

using hk_amd::ScaledFormat;

constexpr int kElementsPerLane = 32, kScalesPerWord = 4;

unsigned bitsOf(ScaledFormat format) {
  switch (format) {
  case ScaledFormat::E4M3:
  case ScaledFormat::E5M2:
    return 8;
  case ScaledFormat::E2M3:
  case ScaledFormat::E3M2:
    return 6;
  case ScaledFormat::E2M1:
    return 4;
  }
  llvm_unreachable("all formats are listed");
}

MatrixOperand operandOf(RankedTensorType type, unsigned opIdx, ValueRange registers, ScaledFormat format) {
  unsigned bits = bitsOf(format), itemsPerLane = bits == 4 ? kElementsPerLane / 2 : kElementsPerLane;
  return {type, opIdx, registers, itemsPerLane, [=](OpBuilder &builder, Location loc, ValueRange items) -> Value {
            Value vector = packVector(builder, loc, items);
            if (bits == 6) // keeps the low 6 bits of each byte
              vector =
                  LLVM::TruncOp::create(builder, loc, VectorType::get(items.size(), builder.getIntegerType(6)), vector);
            auto words = VectorType::get(kElementsPerLane * bits / 32, builder.getI32Type());
            return LLVM::BitcastOp::create(builder, loc, words, vector);
          }};
}

struct Scale {
  Value word, byte;
};

/// The scales of one operand, packed into words of four scales in register order.
class PackedScales {
public:
  /// If `scale` is null, each word is the constant `missing`.
  PackedScales(Value scale, ValueRange registers, unsigned opIdx, int32_t missing)
      : registers(registers), opIdx(opIdx), missing(missing) {
    if (!scale)
      return;
    positions.emplace(cast<RankedTensorType>(scale.getType()));
    depth = positions->along(1);
  }

  /// Returns the scale for the instruction of `tile` at `step` along K.
  Scale get(OpBuilder &builder, Location loc, const MatrixTile &tile, unsigned step) {
    if (!positions)
      return {i32Constant(builder, loc, missing), i32Constant(builder, loc, 0)};
    unsigned reg = positions->at({tile.origin[opIdx], depth[step]}), first = reg / kScalesPerWord * kScalesPerWord;
    Value &word = words[first];
    if (!word) {
      SmallVector<Value> bytes(kScalesPerWord);
      for (int i = 0; i < kScalesPerWord; ++i) // a lane with fewer than four scales repeats them
        bytes[i] = registers[first + i % std::min<int>(kScalesPerWord, registers.size())];
      word = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packVector(builder, loc, bytes));
    }
    return {word, i32Constant(builder, loc, reg % kScalesPerWord)};
  }

private:
  std::optional<RegistersByPosition> positions;
  ValueRange registers;
  unsigned opIdx;
  int32_t missing;
  /// For each step along K, the coordinate along K of the scale that lane 0 holds.
  SmallVector<int32_t> depth;
  std::map<unsigned, Value> words;
};

/// Operand of an instruction: its elements, their format and their scale.
struct ScaledOperand {
  Value elements;
  ScaledFormat format;
  Scale scale;
};

Value createScaledMfma(OpBuilder &builder, Location loc, StringRef name, const ScaledOperand &a, const ScaledOperand &b,
                       Value acc) {
  OperationState state(loc, name);
  state.addOperands({a.elements, b.elements, acc, i32Constant(builder, loc, int32_t(a.format)),
                     i32Constant(builder, loc, int32_t(b.format)), a.scale.byte, a.scale.word, b.scale.byte,
                     b.scale.word});
  state.addTypes(acc.getType());
  return builder.create(state)->getResult(0);
}

struct MfmaScaledLowering : LoweringPattern<hk_amd::MfmaScaledOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_amd::MfmaScaledOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType accType = op.getAcc().getType();
    auto layout = cast<hk_amd::MfmaAttr>(accType.getEncoding());
    if (layout.getVersion() != lowering.target.mfmaVersion)
      return op.emitOpError() << "needs a target with matrix cores of version " << layout.getVersion() << ", not "
                              << lowering.target.name;
    StringRef name = findScaledMfma(layout.getVersion(), layout.getM(), layout.getN(), layout.getK())->name;

    MatrixOperand a = operandOf(op.getA().getType(), 0, adaptor.getA(), op.getAFormat());
    MatrixOperand b = operandOf(op.getB().getType(), 1, adaptor.getB(), op.getBFormat());
    int32_t missing = op.getAScale() || op.getBScale() ? kScalesOfOne : 0;
    PackedScales aScales(op.getAScale(), adaptor.getAScale(), 0, missing);
    PackedScales bScales(op.getBScale(), adaptor.getBScale(), 1, missing);
    SmallVector<MatrixTile> tiles = matrixTilesOf(accType, mfmaResultTile(layout.getParams()));
    SmallVector<Value> sums = packAccumulators(rewriter, loc, tiles, adaptor.getAcc());
    for (unsigned step = 0; step < a.numSteps(); ++step)
      for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
        ScaledOperand left{a.get(rewriter, loc, tile, step), op.getAFormat(), aScales.get(rewriter, loc, tile, step)};
        ScaledOperand right{b.get(rewriter, loc, tile, step), op.getBFormat(), bScales.get(rewriter, loc, tile, step)};
        if (layout.getTransposed())
          std::swap(left, right);
        sum = createScaledMfma(rewriter, loc, name, left, right, sum);
      }
    SmallVector<Value> result = unpackAccumulators(rewriter, loc, tiles, sums, adaptor.getAcc().size());
    rewriter.replaceOpWithMultiple(op, {result});
    return success();
  }
};

} // namespace

void populateMfmaScaledPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MfmaScaledLowering>(lowering);
}

} // namespace hocket
