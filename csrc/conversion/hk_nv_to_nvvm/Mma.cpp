//===- Mma.cpp - hk_nv.mma ------------------------------------------------------------------===//
//
// One lane.mma for every 16 x 8 of a warp's results and every step along K; target/MmaInstructions.h is the table. The
// registers that an instruction takes are found by coordinates (hk_to_llvm/MatrixTiles.h): of a two rows, eight apart,
// of b one column, each with two words of 4 bytes along K. The steps along K of one result are a chain, each waiting
// for the accumulators of the one before, so K is the outer loop: between two links come the instructions of all other
// results.
//
// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16", "..k8", "..k32".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/MatrixTiles.h"
#include "dialect/hk_nv/MmaSelection.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// What the instructions take of an operand: words of some elements along K, packed at the first use, and then shared
/// by all results in their row or column.
class Operand {
public:
  Operand(RankedTensorType type, unsigned opIdx, ValueRange registers, int elementsPerWord)
      : places(type), registers(registers), own(type.getRank() - (opIdx == 0 ? 2 : 1)),
        alongK(type.getRank() - (opIdx == 0 ? 1 : 2)), elementsPerWord(elementsPerWord), depth(places.along(alongK)) {}

  unsigned numSteps() const { return depth.size() / (kWordsPerStep * elementsPerWord); }

  /// The words of one step: for each of the `rows` rows (or columns), eight apart, from the result's first one on.
  Value get(OpBuilder &builder, Location loc, const MatrixTile &tile, unsigned step, int rows) {
    SmallVector<Value> words;
    for (unsigned half = 0; half < kWordsPerStep; ++half)
      for (int row = 0; row < rows; ++row) {
        Place place = tile.origin;
        place[own] += 8 * row;
        words.push_back(word(builder, loc, place, kWordsPerStep * step + half));
      }
    return packVector(builder, loc, words);
  }

private:
  static constexpr unsigned kWordsPerStep = 2;

  Value word(OpBuilder &builder, Location loc, Place place, unsigned index) {
    place[alongK] = index;
    Value &value = packed[place];
    if (value)
      return value;
    SmallVector<Value> elements;
    for (int i = 0; i < elementsPerWord; ++i) {
      place[alongK] = depth[index * elementsPerWord + i];
      elements.push_back(registers[places.at(place)]);
    }
    return value = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packVector(builder, loc, elements));
  }

  RegistersByPlace places;
  ValueRange registers;
  unsigned own, alongK;
  int elementsPerWord;
  /// The k that lane 0 holds, ascending.
  SmallVector<int32_t> depth;
  /// By row (or column), with the number of the word in place of k.
  std::map<Place, Value> packed;
};

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
    Operand a(op.getA().getType(), 0, adaptor.getA(), instruction.elementsPerWord());
    Operand b(op.getB().getType(), 1, adaptor.getB(), instruction.elementsPerWord());
    SmallVector<MatrixTile> tiles = matrixTilesOf(op.getAcc().getType(), nvidiaMmaResultTile(kMmaColumns));
    SmallVector<Value> sums = packAccumulators(rewriter, loc, tiles, adaptor.getAcc());
    for (unsigned step = 0; step < a.numSteps(); ++step)
      for (auto [tile, sum] : llvm::zip_equal(tiles, sums)) {
        Value left = a.get(rewriter, loc, tile, step, /*rows=*/2), right = b.get(rewriter, loc, tile, step, /*rows=*/1);
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
