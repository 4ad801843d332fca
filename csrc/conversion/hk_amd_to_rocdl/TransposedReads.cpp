//===- TransposedReads.cpp - Lowers hk.local_load to transposing LDS reads ------------------===//
//
// Each lane of an MMA operand holds several elements along K. If the tile in LDS is not contiguous along K, the
// elements of a lane are in different rows, and plain loads would read the elements one by one. On CDNA4, each lane
// reads 8 bytes along a row, and the hardware exchanges them among 16 lanes (layout/TransposedRead.h explains the
// conditions):
//
//   16-bit elements   ds_read_b64_tr_b16   4 elements per lane, 4 rows
//   8-bit elements    ds_read_b64_tr_b8    8 elements per lane, 8 rows
//
// hk_to_lane/patterns/SharedMemory.cpp lowers all other loads, including loads of K-contiguous operands (ds_read_b128).
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "layout/TransposedRead.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct TransposedLoadLowering : LoweringPattern<hk::LocalLoadOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getSrc().getType());
    auto tensor = cast<RankedTensorType>(op.getType());
    if (!lowering.target.amdMemory->hasTransposedReads)
      return rewriter.notifyMatchFailure(op, "the GPU has no transposed reads");
    if (type.getSlotRank() != 0)
      return rewriter.notifyMatchFailure(op, "not one tile");
    Type element = elementType(tensor);
    if (!element.isIntOrFloat() || (element.getIntOrFloatBitWidth() != 8 && element.getIntOrFloatBitWidth() != 16))
      return rewriter.notifyMatchFailure(op, "elements of neither 8 nor 16 bits");
    LinearLayout bufferOffsets = hk::offsetsOfBuffer(type);
    auto paddings = cast<hk::SharedLayout>(type.getLayout()).getPaddings();
    std::optional<TransposedRead> plan =
        planTransposedRead(tensorLayout(tensor).compose(bufferOffsets), element.getIntOrFloatBitWidth(), paddings,
                           hk::startBits(type, bufferOffsets));
    if (!plan)
      return rewriter.notifyMatchFailure(op, "not along the rows of 16 lanes");

    Location loc = op.getLoc();
    SharedTile tile(lowering, rewriter, loc, adaptor.getSrc().front(), plan->source, element, paddings,
                    emitViewStart(rewriter, loc, type, adaptor.getSrc().drop_front(), bufferOffsets));
    SmallVector<Value> results(numRegisters(tensor));
    for (auto [read, group] : llvm::enumerate(plan->groups)) {
      Value address = tile.address(tile.registerOffset(read));
      unpackVector(rewriter, loc, emitRead(rewriter, loc, element, address), group, results);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// Emits a read, and returns the elements that this lane receives.
  static Value emitRead(OpBuilder &builder, Location loc, Type element, Value address) {
    if (element.getIntOrFloatBitWidth() == 16)
      return ROCDL::ds_read_tr16_b64::create(builder, loc, VectorType::get(4, element), address, ArrayAttr(),
                                             ArrayAttr(), ArrayAttr());
    Value words = ROCDL::ds_read_tr8_b64::create(builder, loc, VectorType::get(2, builder.getI32Type()), address,
                                                 ArrayAttr(), ArrayAttr(), ArrayAttr());
    return LLVM::BitcastOp::create(builder, loc, VectorType::get(8, element), words);
  }
};

} // namespace

void populateTransposedReadPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  // Because of its benefit, this pattern is tried before the pattern for plain loads in hk_to_lane.
  patterns.add<TransposedLoadLowering>(lowering, /*benefit=*/2);
}

} // namespace hocket
