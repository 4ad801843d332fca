//===- AsyncStores.cpp - Lowers asynchronous stores to other blocks of the cluster --------------===//
//
//   hk_nv.async_store     lane.store_async of 1, 2 or 4 words at mapa, which completes bytes on that block's mbarrier
//
// One instruction stores up to 16 bytes of elements that are adjacent in the lane's registers and in memory. If several
// lanes hold an element, only the first of these lanes stores the element.
//
// PTX ISA 9.0, "st.async".
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/LaneClusterOps.h"
#include "target/Features.h"
#include "target/Mbarriers.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr unsigned kWordBits = 32;

/// Returns the elements in `packed` as 32-bit words.
SmallVector<Value> wordsOf(OpBuilder &builder, Location loc, Value packed, unsigned count) {
  Type word = builder.getIntegerType(kWordBits);
  if (count == 1)
    return {packed.getType() == word ? packed : LLVM::BitcastOp::create(builder, loc, word, packed).getResult()};
  Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get(count, word), packed);
  SmallVector<Value> words;
  for (unsigned index = 0; index < count; ++index) {
    Value at = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), index);
    words.push_back(LLVM::ExtractElementOp::create(builder, loc, vector, at));
  }
  return words;
}

LogicalResult refuseNarrow(Operation *op, unsigned bytes, unsigned elements) {
  InFlightDiagnostic error = op->emitError()
                             << "a thread accesses " << bytes << (bytes == 1 ? " byte" : " contiguous bytes")
                             << " of shared memory at a time, but an access to another block needs at least 4 bytes";
  error.attachNote() << "hint: give the tensor a layout with " << elements
                     << " or more consecutive elements per thread, in the order of the shared memory";
  return error;
}

struct AsyncStoreLowering : LoweringPattern<hk_nv::AsyncStoreOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::AsyncStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    if (!lowering.target.hasTransactionMbarriers)
      return op.emitOpError() << "needs " << kTransactionMbarriers.describe() << "; the target is "
                              << StringRef(lowering.target.name);
    if (type.getSlotRank() != 0)
      return op.emitError("cannot access all buffers of a ring at once; select one with memdesc_index");

    ValueRange buffer = adaptor.getDst();
    ClusterOffsets clusterOffsets = hk::clusterOffsetsOf(type, lowering.numBlocks);
    ViewStart start = emitViewStart(rewriter, loc, type, buffer.drop_front(), clusterOffsets.toOffset);
    auto paddings = cast<hk::SharedLayout>(type.getLayout()).getPaddings();
    LinearLayout registers = tensorLayout(tensor);
    ClusterAccess plan = planClusterStore(registers, clusterOffsets);
    unsigned elementBits = hk::storageBits(type.getElementType());
    int32_t maxWidth = widestVector(lowering.target.maxAccessBits, int32_t(elementBits), paddings,
                                    start.offset ? start.bits : start.constant);
    VectorAccess access = planVectorAccess(plan.toOffset, std::min(maxWidth, int32_t(1) << plan.partBits));
    unsigned words = access.width * elementBits / kWordBits;
    if (words == 0)
      return refuseNarrow(op, access.width * elementBits / 8, kWordBits / elementBits);

    SharedTile tile(lowering, rewriter, loc, buffer.front(), plan.toOffset, lowering.typeConverter.elementType(tensor),
                    plan.partBits, paddings, start);
    ValueRange values = adaptor.getValue();
    int32_t sharers = hk_nv::sharersOf(cast<hk::MemDescType>(op.getBarrier().getType()));
    auto storeAll = [&] {
      for (const std::vector<int32_t> &group : access.groups) {
        Value packed = tile.packed(llvm::map_to_vector(group, [&](int32_t reg) { return values[reg]; }));
        SmallVector<Value> stored = wordsOf(rewriter, loc, packed, words);
        for (int32_t copy = 0; copy < lowering.numBlocks; ++copy) {
          if (copy & ~plan.copies)
            continue;
          int32_t offset = tile.registerOffset(unsigned(group.front())) ^ copy << plan.partBits;
          Value rank = tile.blockAt(offset);
          if (sharers) {
            Value others = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), ~sharers);
            rank = LLVM::AndOp::create(rewriter, loc, rank, others);
          }
          Value barrier = lowering.targetLowering.sharedOfBlock(rewriter, loc, adaptor.getBarrier().front(), rank);
          lane::StoreAsyncOp::create(rewriter, loc, stored, tile.address(offset), barrier);
        }
      }
    };
    if (Value isFirst = emitIsFirstInBlock(lowering, rewriter, loc, registers))
      emitIf(rewriter, loc, isFirst, storeAll);
    else
      storeAll();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateAsyncStorePatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<AsyncStoreLowering>(lowering);
}

} // namespace hocket
