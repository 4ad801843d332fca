//===- Mma.cpp - Lowers hk_nv.mma -----------------------------------------------------------===//
//
// The lowering emits one lane.mma for every 16 x 8 part of a warp's results and every step along K.
// target/MmaInstructions.h contains the table of instructions. In each lane, an instruction has operands from two rows
// of a, eight apart, and from one column of b. From each row or column, it has two words of 4 bytes along K. The
// registers are found by their coordinates (patterns/MatrixTiles.h). The steps along K of one result form a chain in
// which each step waits for the accumulators of the previous step. The loop along K is the outer loop, so that the MMAs
// of all other results are between two steps of a chain.
//
// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16", "...k8", "...k32".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/MmaOperand.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_nv/MmaSelection.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct MmaLowering : LoweringPattern<hk_nv::MmaOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::MmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const MmaInstruction &instruction = *hk_nv::mmaInstructionOf(op);
    if (!hasMma(lowering.target, instruction))
      return op.emitOpError() << "of " << op.getA().getType().getElementType() << " and "
                              << op.getB().getType().getElementType() << " is not supported on "
                              << StringRef(lowering.target.name);
    MmaOperand a(op.getA().getType(), 0, adaptor.getA(), instruction.elementsPerWord());
    MmaOperand b(op.getB().getType(), 1, adaptor.getB(), instruction.elementsPerWord());
    SmallVector<MatrixTile> tiles = matrixTilesOf(op.getAcc().getType(), nvidiaMmaResultTile(kMmaColumns));
    SmallVector<Value> sums = packAccumulators(rewriter, loc, tiles, adaptor.getAcc());
    for (unsigned step = 0; step < a.numSteps(); ++step)
      for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
        Value left = packVector(rewriter, loc, a.words(rewriter, loc, tile, step, /*rows=*/2));
        Value right = packVector(rewriter, loc, b.words(rewriter, loc, tile, step, /*rows=*/1));
        sum = lane::MmaOp::create(rewriter, loc, instruction.name, left, right, sum);
      }
    rewriter.replaceOpWithMultiple(op, {unpackAccumulators(rewriter, loc, tiles, sums, adaptor.getAcc().size())});
    return success();
  }
};

} // namespace

void populateMmaPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MmaLowering>(lowering);
}

} // namespace hocket
