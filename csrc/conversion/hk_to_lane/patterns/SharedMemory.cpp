//===- SharedMemory.cpp - Lowers buffers in shared memory and their accesses --------===//
//
//   hk.local_alloc               the address that AllocateMemory has chosen; with an operand, also a store
//   hk.local_store, local_load   llvm.store and llvm.load of vectors of up to 128 bits, on !llvm.ptr<3>; in a cluster
//                                whose CTAs access each other's memory, on !llvm.ptr<7>
//
// A register layout maps (register, lane, warp) to coordinates of the view. The inverse of the shared layout maps
// coordinates to an offset. The composition of the two maps determines which registers of a lane are adjacent in shared
// memory. One vector instruction accesses adjacent registers. The offset of the start of a view is XORed to the offset,
// because the start coordinates of a view are multiples of its sizes (SharedMemoryViews.cpp).
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedMemoryViews.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"

using namespace mlir;

namespace hocket {

namespace {

/// An access of a whole tile: its plan and its addresses.
struct TileAccess {
  SharedTile tile;
  VectorAccess access;
  /// Offsets from an element to its copies in other CTAs. A store also writes these copies.
  SmallVector<int32_t> otherCopies = {};

  void storeAll(ValueRange registers) {
    tile.storeAll(access, llvm::to_vector(registers));
    for (int32_t distance : otherCopies)
      tile.storeAll(access, llvm::to_vector(registers), distance);
  }
};

/// Returns the access of a tile. `buffer` is the lowered handle: an address, then start coordinates.
TileAccess makeAccess(LoweringContext &lowering, OpBuilder &builder, Location loc, hk::MemDescType type,
                      RankedTensorType tensor, ValueRange buffer, const ClusterAccess &plan) {
  auto paddings = cast<hk::SharedLayout>(type.getLayout()).getPaddings();
  Type elementType = lowering.typeConverter.elementType(tensor);
  int32_t elementBits = int32_t(hk::storageBits(type.getElementType()));
  auto widest = [&](const ViewStart &start) {
    return widestVector(lowering.target.maxAccessBits, elementBits, paddings,
                        start.offset ? start.bits : start.constant);
  };
  if (plan.isOwn) {
    LinearLayout toOffset = plan.offsetInPart();
    ViewStart start = emitViewStart(builder, loc, type, buffer.drop_front(), hk::offsetsOfBuffer(type));
    return {SharedTile(lowering, builder, loc, buffer.front(), toOffset, elementType, paddings, start),
            planVectorAccess(toOffset, widest(start))};
  }
  LinearLayout offsets = hk::clusterOffsetsOf(type, lowering.numBlocks).toOffset;
  ViewStart start = emitViewStart(builder, loc, type, buffer.drop_front(), offsets);
  int32_t maxWidth = std::min(widest(start), int32_t(1) << plan.partBits);
  TileAccess access = {
      SharedTile(lowering, builder, loc, buffer.front(), plan.toOffset, elementType, plan.partBits, paddings, start),
      planVectorAccess(plan.toOffset, maxWidth)};
  for (int32_t copy = 1; copy < lowering.numBlocks; ++copy)
    if (!(copy & ~plan.copies))
      access.otherCopies.push_back(copy << plan.partBits);
  return access;
}

LogicalResult checkIsOneTile(Operation *op, hk::MemDescType type) {
  if (type.getSlotRank() == 0)
    return success();
  return op->emitError("cannot access all buffers of a ring at once; select one with memdesc_index");
}

struct LocalAllocLowering : LoweringPattern<hk::LocalAllocOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalAllocOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getType());
    if (op.getSrc() && failed(checkIsOneTile(op, type)))
      return failure();
    Value base = lowering.allocatedAddress(rewriter, op);
    if (!base)
      return failure();
    SmallVector<Value> buffer = {base};
    buffer.append(type.getTileShape().size(), i32Constant(rewriter, op.getLoc(), 0));
    if (op.getSrc()) {
      auto tensor = cast<RankedTensorType>(op.getSrc().getType());
      makeAccess(lowering, rewriter, op.getLoc(), type, tensor, buffer, hk::planStore(tensor, type, lowering.numBlocks))
          .storeAll(adaptor.getSrc());
    }
    rewriter.replaceOpWithMultiple(op, {buffer});
    return success();
  }
};

struct LocalStoreLowering : LoweringPattern<hk::LocalStoreOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    if (failed(checkIsOneTile(op, type)))
      return failure();
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    makeAccess(lowering, rewriter, op.getLoc(), type, tensor, adaptor.getDst(),
               hk::planStore(tensor, type, lowering.numBlocks))
        .storeAll(adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoadLowering : LoweringPattern<hk::LocalLoadOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getSrc().getType());
    if (failed(checkIsOneTile(op, type)))
      return failure();
    auto tensor = cast<RankedTensorType>(op.getType());
    TileAccess from = makeAccess(lowering, rewriter, op.getLoc(), type, tensor, adaptor.getSrc(),
                                 hk::planLoad(tensor, type, lowering.numBlocks));
    rewriter.replaceOpWithMultiple(op, {from.tile.loadAll(from.access)});
    return success();
  }
};

} // namespace

void populateSharedMemoryPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<LocalAllocLowering, LocalStoreLowering, LocalLoadLowering>(lowering);
  populateSharedMemoryViewPatterns(lowering, patterns);
}

} // namespace hocket
