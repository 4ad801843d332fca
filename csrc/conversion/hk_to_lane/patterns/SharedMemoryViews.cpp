//===- SharedMemoryViews.cpp - Lowers views of buffers in shared memory -------------===//
//
// A lowered handle consists of an address and of the coordinates at which the view starts in the tile of the buffer
// (TypeConverter.h). Views do not access memory:
//
//   hk.memdesc_index         address + index x bytes per index; for the emulator, asserts that the index is in range
//   hk.memdesc_slice         dimensions of slots: address + constant; of the tile: coordinates + offsets
//   hk.memdesc_permute       coordinates permuted
//   hk.memdesc_reshape       the same address; the operand is a whole buffer, so all coordinates are 0
//   hk.memdesc_reinterpret   the same address; the operand is a whole buffer
//   arith.select             for views: address and coordinates selected
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/SharedMemoryViews.h"

#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

namespace {

/// Adds a constant. If `value` is constant, the addition is folded, so that the start of the view stays constant.
Value addConstant(OpBuilder &builder, Location loc, Value value, int32_t constant) {
  if (constant == 0)
    return value;
  IntegerAttr known;
  if (matchPattern(value, m_Constant(&known)))
    return i32Constant(builder, loc, known.getInt() + constant);
  return LLVM::AddOp::create(builder, loc, value, i32Constant(builder, loc, constant));
}

/// Number of bits of a constant in LLVM::GEPArg. The offset of an index outside of a ring buffer can need more bits.
constexpr unsigned kConstantIndexBits = 29;

Value advance(OpBuilder &builder, Location loc, Value address, LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(builder, loc, address.getType(), builder.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
}

/// Returns the distance in bytes between indices of slot dimension `dim`.
int64_t slotBytes(hk::MemDescType type, unsigned dim) {
  int64_t slots = ShapedType::getNumElements(type.getAllocShape().take_front(type.getSlotRank()).drop_front(dim + 1));
  return slots * type.getSlotStride() * (hk::storageBits(type.getElementType()) / 8);
}

struct MemDescIndexLowering : LoweringPattern<hk::MemDescIndexOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::MemDescIndexOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t stride = slotBytes(cast<hk::MemDescType>(op.getSrc().getType()), 0);
    SmallVector<Value> view = llvm::to_vector(adaptor.getSrc());
    Value index = adaptor.getIndex().front();
    IntegerAttr known;
    bool isKnown = matchPattern(index, m_Constant(&known));
    if (isKnown && llvm::isInt<kConstantIndexBits>(known.getInt() * stride)) {
      view.front() = advance(rewriter, loc, view.front(), static_cast<int32_t>(known.getInt() * stride));
    } else {
      Value bytes = LLVM::MulOp::create(rewriter, loc, index, i32Constant(rewriter, loc, static_cast<int32_t>(stride)));
      view.front() = advance(rewriter, loc, view.front(), bytes);
    }
    rewriter.replaceOpWithMultiple(op, {view});
    return success();
  }
};

struct MemDescSliceLowering : LoweringPattern<hk::MemDescSliceOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::MemDescSliceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getSrc().getType());
    unsigned slotRank = type.getSlotRank();
    SmallVector<Value> view = llvm::to_vector(adaptor.getSrc());
    int64_t bytes = 0;
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
      if (dim < slotRank)
        bytes += offset * slotBytes(type, dim);
      else
        view[1 + dim - slotRank] = addConstant(rewriter, loc, view[1 + dim - slotRank], offset);
    }
    if (bytes)
      view.front() = advance(rewriter, loc, view.front(), static_cast<int32_t>(bytes));
    rewriter.replaceOpWithMultiple(op, {view});
    return success();
  }
};

struct MemDescPermuteLowering : LoweringPattern<hk::MemDescPermuteOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::MemDescPermuteOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    unsigned slotRank = cast<hk::MemDescType>(op.getSrc().getType()).getSlotRank();
    for (unsigned dim = 0; dim < slotRank; ++dim)
      if (op.getOrder()[dim] != int32_t(dim))
        return op.emitError("cannot permute the buffers of a ring; select one with memdesc_index first");
    ValueRange src = adaptor.getSrc();
    SmallVector<Value> view = {src.front()};
    for (int32_t dim : op.getOrder().drop_front(slotRank))
      view.push_back(src[1 + dim - slotRank]);
    rewriter.replaceOpWithMultiple(op, {view});
    return success();
  }
};

/// Lowers a view of a whole buffer with another type.
template <typename OpT>
struct WholeBufferLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op, typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> view = {adaptor.getSrc().front()};
    auto type = cast<hk::MemDescType>(op.getType());
    view.append(type.getTileShape().size(), i32Constant(rewriter, op.getLoc(), 0));
    rewriter.replaceOpWithMultiple(op, {view});
    return success();
  }
};

struct SelectViewLowering : LoweringPattern<arith::SelectOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<hk::MemDescType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of views");
    SmallVector<Value> view;
    for (auto [whenTrue, whenFalse] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      view.push_back(
          LLVM::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), whenTrue, whenFalse));
    rewriter.replaceOpWithMultiple(op, {view});
    return success();
  }
};

} // namespace

void populateSharedMemoryViewPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MemDescIndexLowering, MemDescSliceLowering, MemDescPermuteLowering,
               WholeBufferLowering<hk::MemDescReshapeOp>, WholeBufferLowering<hk::MemDescReinterpretOp>,
               SelectViewLowering>(lowering);
}

} // namespace hocket
