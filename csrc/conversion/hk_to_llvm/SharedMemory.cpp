//===- SharedMemory.cpp - Buffers in shared memory, and their contents --------------===//
//
//   hk.local_alloc               the address that AllocateShared chose; with a value, a store as well
//   hk.local_store, local_load   llvm.store and llvm.load of vectors of up to 128 bits, on !llvm.ptr<3>
//
// A register layout maps (register, lane, warp) to coordinates of the view; the inverse of the shared layout maps these
// to an offset. The composition says which registers are neighbours in memory: they are accessed together. The start of
// a view is XORed in (coordinates of a view are multiples of its sizes, SharedMemoryViews.cpp).
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/Patterns.h"
#include "conversion/hk_to_llvm/RegisterIndices.h"
#include "conversion/hk_to_llvm/SharedMemoryViews.h"
#include "conversion/hk_to_llvm/SharedTile.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/hk/Layouts.h"
#include "dialect/hk/SharedOffsets.h"
#include "dialect/hk/TilePlans.h"

using namespace mlir;

namespace hocket {

namespace {

/// Everything that one access of a whole descriptor needs.
struct TileAccess {
  SharedTile tile;
  VectorAccess access;
};

/// `buffer` is the lowered descriptor: address, then start coordinates.
TileAccess makeAccess(LoweringContext &lowering, OpBuilder &builder, Location loc, hk::MemDescType type,
                      RankedTensorType tensor, ValueRange buffer) {
  LinearLayout bufferOffsets = hk::offsetsOfBuffer(type);
  LinearLayout toOffset = tensorLayout(tensor).compose(bufferOffsets);
  ViewStart start = emitViewStart(builder, loc, type, buffer.drop_front(), bufferOffsets);
  auto paddings = cast<hk::SharedLayout>(type.getLayout()).getPaddings();

  int32_t maxWidth = widestVector(lowering.target.maxAccessBits, hk::storageBits(type.getElementType()), paddings,
                                  start.offset ? start.bits : start.constant);
  return {SharedTile(lowering, builder, loc, buffer.front(), toOffset, lowering.typeConverter.elementType(tensor),
                     paddings, start),
          planVectorAccess(toOffset, maxWidth)};
}

LogicalResult checkIsOneTile(Operation *op, hk::MemDescType type) {
  if (type.getSlotRank() == 0)
    return success();
  return op->emitError("cannot access all slots of a ring at once; select one with memdesc_index");
}

/// Every block of a cluster accesses its own memory only.
LogicalResult checkStaysInBlock(Operation *op, hk::MemDescType type, RankedTensorType tensor) {
  LinearLayout shared = hk::toLinearLayout(type), registers = tensorLayout(tensor);
  unsigned bits = std::max(shared.getInDimSizeLog2(Dim::Block), registers.getInDimSizeLog2(Dim::Block));
  // A load may take from its copy what the layout deals to blocks by registers alone; a store has all copies to write.
  bool isLoad = isa<hk::LocalLoadOp>(op);
  for (unsigned bit = 0; bit < bits; ++bit)
    for (DimBits out : shared.getOutDims()) {
      auto startOf = [&](const LinearLayout &layout) {
        return bit < layout.getInDimSizeLog2(Dim::Block) ? layout.getBasis(Dim::Block, bit, out.dim) : 0;
      };
      int32_t inShared = startOf(shared), inRegisters = startOf(registers);
      if (inShared != inRegisters && !(isLoad && inShared == 0))
        return op->emitError(
            "the blocks of the cluster hold other parts of the tile in registers than in shared memory "
            "(cga_layout); convert the layout of the tensor first");
    }
  return success();
}

Value i32Constant(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

struct LocalAllocLowering : LoweringPattern<hk::LocalAllocOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalAllocOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getType());
    if (op.getSrc() && (failed(checkIsOneTile(op, type)) ||
                        failed(checkStaysInBlock(op, type, cast<RankedTensorType>(op.getSrc().getType())))))
      return failure();
    Value base = lowering.allocatedAddress(rewriter, op);
    if (!base)
      return failure();
    SmallVector<Value> buffer = {base};
    buffer.append(type.getTileShape().size(), i32Constant(rewriter, op.getLoc(), 0));
    if (op.getSrc()) {
      TileAccess to =
          makeAccess(lowering, rewriter, op.getLoc(), type, cast<RankedTensorType>(op.getSrc().getType()), buffer);
      to.tile.storeAll(to.access, llvm::to_vector(adaptor.getSrc()));
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
    if (failed(checkIsOneTile(op, type)) ||
        failed(checkStaysInBlock(op, type, cast<RankedTensorType>(op.getValue().getType()))))
      return failure();
    TileAccess to = makeAccess(lowering, rewriter, op.getLoc(), type, cast<RankedTensorType>(op.getValue().getType()),
                               adaptor.getDst());
    to.tile.storeAll(to.access, llvm::to_vector(adaptor.getValue()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoadLowering : LoweringPattern<hk::LocalLoadOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getSrc().getType());
    if (failed(checkIsOneTile(op, type)) || failed(checkStaysInBlock(op, type, cast<RankedTensorType>(op.getType()))))
      return failure();
    TileAccess from =
        makeAccess(lowering, rewriter, op.getLoc(), type, cast<RankedTensorType>(op.getType()), adaptor.getSrc());
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
