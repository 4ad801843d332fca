//===- Mfma.cpp - Lowers hk_amd.mfma --------------------------------------------------------===//
//
//   f16, bf16        v_mfma_f32_{32x32x8,16x16x16,4x4x4}_{f16,bf16}, CDNA4 also {32x32x16,16x16x32}
//   8-bit floats     v_mfma_f32_{32x32x16,16x16x32}_{fp8,bf8}_{fp8,bf8}
//   i8               v_mfma_i32_{32x32x16,16x16x32,4x4x4}_i8, CDNA4 also {32x32x32,16x16x64}
//   f32              v_mfma_f32_{32x32x2,16x16x4,4x4x1}_f32, CDNA3 also {32x32x4,16x16x8}_xf32
//   f64              v_mfma_f64_16x16x4_f64
//
// target/MatrixInstructions.h contains the table of instructions; "AMD Instinct MI300" ISA guide, chapter 7. The steps
// along K of one result form a chain in which each step waits for the accumulators of the previous step. The loop along
// K is the outer loop, so that the MMAs of all other results are between two steps of a chain. For a transposed layout,
// the hardware computes b^T a^T, so b is the first operand of the instruction.
//
// A 4 x 4 result is the sum of 16 MMAs over different parts of K. Only one of the 16 MMAs adds the accumulator, and the
// lanes add the 16 partial results afterwards.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/MatrixTiles.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "layout/WarpSizes.h"

using namespace mlir;

namespace hocket {

namespace {

constexpr unsigned kBlockLanes = 4;

/// Returns the operand type of the ROCDL operation for a lane's elements.
Type packedTypeOf(OpBuilder &builder, const MfmaInstruction &instruction) {
  int count = instruction.elementsPerLane;
  switch (instruction.a) {
  case NumberFormat::F64:
    return builder.getF64Type();
  case NumberFormat::F32:
    return count == 1 ? Type(builder.getF32Type()) : VectorType::get(count, builder.getF32Type());
  case NumberFormat::F16:
    return VectorType::get(count, builder.getF16Type());
  case NumberFormat::BF16: // the intrinsics of four elements per lane represent bf16 as i16
    return VectorType::get(count, count == 4 ? Type(builder.getI16Type()) : builder.getBF16Type());
  default:
    break;
  }
  int words = count / 4; // a word holds four 8-bit elements
  return words <= 2 ? Type(builder.getIntegerType(32 * words)) : VectorType::get(words, builder.getI32Type());
}

MatrixOperand::Pack packFor(const MfmaInstruction &instruction) {
  return [&instruction](OpBuilder &builder, Location loc, ValueRange elements) -> Value {
    Value vector = packVector(builder, loc, elements);
    Type type = packedTypeOf(builder, instruction);
    return vector.getType() == type ? vector : LLVM::BitcastOp::create(builder, loc, type, vector);
  };
}

/// The operands cbsz, abid and blgp (broadcast or permutation of blocks) are always 0.
Value createMfma(OpBuilder &builder, Location loc, StringRef name, Value a, Value b, Value acc) {
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), int64_t(0));
  OperationState state(loc, name);
  state.addOperands({a, b, acc, zero, zero, zero});
  state.addTypes(acc.getType());
  return builder.create(state)->getResult(0);
}

struct MfmaLowering : LoweringPattern<hk_amd::MfmaOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_amd::MfmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType aType = op.getA().getType(), bType = op.getB().getType(), accType = op.getAcc().getType();
    auto layout = cast<hk_amd::MfmaAttr>(accType.getEncoding());
    if (layout.getVersion() != lowering.target.mfmaVersion)
      return op.emitOpError() << "needs a layout of version " << lowering.target.mfmaVersion << " on target "
                              << lowering.target.name << ", not of version " << layout.getVersion();
    const MfmaInstruction *instruction =
        hk_amd::selectMfma(layout, aType.getElementType(), bType.getElementType(), [&] { return op.emitOpError(); });
    if (!instruction)
      return failure();

    bool transposed = layout.getTransposed(), isSum = layout.getM() == 4 && layout.getN() == 4;
    const MfmaInstruction *issued = !transposed ? instruction
                                                : findMfma(layout.getVersion(), layout.getN(), layout.getM(),
                                                           layout.getK(), instruction->b, instruction->a);
    unsigned perLane = instruction->elementsPerLane;
    MatrixOperand a(aType, 0, adaptor.getA(), perLane, packFor(*instruction));
    MatrixOperand b(bType, 1, adaptor.getB(), perLane, packFor(*instruction));
    SmallVector<MatrixTile> tiles = matrixTilesOf(accType, mfmaResultTile(layout.getParams()));
    SmallVector<Value> registers = llvm::to_vector(adaptor.getAcc());
    if (isSum)
      keepInOneBlock(rewriter, loc, registers);
    SmallVector<Value> sums = packAccumulators(rewriter, loc, tiles, registers);
    for (unsigned step = 0; step < a.numSteps(); ++step)
      for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
        Value left = a.get(rewriter, loc, tile, step), right = b.get(rewriter, loc, tile, step);
        if (transposed)
          std::swap(left, right);
        sum = createMfma(rewriter, loc, issued->name, left, right, sum);
      }
    SmallVector<Value> result = unpackAccumulators(rewriter, loc, tiles, sums, registers.size());
    if (isSum)
      addUpBlocks(rewriter, loc, result);
    rewriter.replaceOpWithMultiple(op, {result});
    return success();
  }

private:
  /// Sets the accumulators to zero in all lanes except the first four, so that only one of the 16 MMAs adds the
  /// accumulators.
  void keepInOneBlock(OpBuilder &builder, Location loc, MutableArrayRef<Value> registers) const {
    Value limit = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), int64_t(kBlockLanes));
    Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, lowering.laneId(builder, loc), limit);
    Value zero = LLVM::ZeroOp::create(builder, loc, registers.front().getType());
    for (Value &reg : registers)
      reg = LLVM::SelectOp::create(builder, loc, isFirst, reg, zero);
  }

  /// Adds the results of the 16 blocks, by a butterfly over pairs of blocks. All lanes receive the sum.
  void addUpBlocks(OpBuilder &builder, Location loc, MutableArrayRef<Value> registers) const {
    for (unsigned distance = kBlockLanes; distance < kAmdWaveSize; distance *= 2)
      for (Value &reg : registers) {
        Value other = lowering.targetLowering.shuffleXor(builder, loc, reg, distance);
        reg = reg.getType().isInteger() ? LLVM::AddOp::create(builder, loc, reg, other).getResult()
                                        : LLVM::FAddOp::create(builder, loc, reg, other).getResult();
      }
  }
};

} // namespace

void populateMfmaPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MfmaLowering>(lowering);
}

} // namespace hocket
