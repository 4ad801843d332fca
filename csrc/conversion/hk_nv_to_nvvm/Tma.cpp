//===- Tma.cpp - Lowers TMA copies of tiles of tensors ---------------------------------------===//
//
//   hk_nv.tma_store         cp.async.bulk.tensor.Nd.global.shared::cta.bulk_group, commit_group
//     with a reduction      cp.reduce.async.bulk.tensor.Nd.global.shared::cta.OP.bulk_group, commit_group
//   hk_nv.tma_store_wait    cp.async.bulk.wait_group{.read}
//   hk_nv.tma_load          cp.async.bulk.tensor.Nd.shared::cluster.global.mbarrier::complete_tx::bytes
//   hk_nv.tma_load_im2col   cp.async.bulk.tensor with .im2col, and offsets
//
// One lane of the first warp starts all copies, so all bulk groups belong to this lane. Other lanes have no groups, so
// their waits return at once. In memory, a swizzled tile consists of blocks of columns that are as wide as the swizzle.
// One instruction copies at most 256 rows of one block of columns; larger tiles require several instructions. The first
// coordinate operand of the instruction is the coordinate along the innermost dimension.
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: Tensor copy".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/OneLane.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/hk_nv/TmaBoxes.h"
#include "dialect/lane/AddressSpaces.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {

void emitInOneLane(LoweringContext &lowering, RewriterBase &rewriter, Location loc, llvm::function_ref<void()> emit) {
  auto inFirstWarp = [&] {
    Value elected = NVVM::ElectSyncOp::create(rewriter, loc, rewriter.getI1Type(), Value());
    emitIf(rewriter, loc, elected, emit);
  };
  if (lowering.numWarps == 1)
    return inFirstWarp();
  Value warp = lowering.uniformWarpId(rewriter, loc);
  Value zero = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), 0);
  emitIf(rewriter, loc, LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, warp, zero), inFirstWarp);
}

namespace {

/// The tile in shared memory of a copy: its type and its lowered handle.
struct CopiedTile {
  hk::MemDescType type;
  ValueRange lowered;
};

/// Returns the address of the first element of the tile.
Value addressOf(OpBuilder &builder, Location loc, const CopiedTile &tile) {
  Value base = tile.lowered.front();
  ViewStart start = emitViewStart(builder, loc, tile.type, tile.lowered.drop_front(), hk::offsetsOfBuffer(tile.type));
  if (!start.offset && !start.constant)
    return base;
  LLVM::GEPArg elements = start.offset ? LLVM::GEPArg(start.offset) : LLVM::GEPArg(start.constant);
  return LLVM::GEPOp::create(builder, loc, base.getType(), tile.type.getElementType(), base,
                             ArrayRef<LLVM::GEPArg>{elements});
}

/// Calls `emit` with the address and the coordinates (innermost dimension first) of each box of the tile that one
/// instruction copies.
void forEachBox(OpBuilder &builder, Location loc, hk_nv::TensorDescType type, const CopiedTile &tile, ValueRange coords,
                llvm::function_ref<void(Value, ValueRange)> emit) {
  Value begin = addressOf(builder, loc, tile);
  for (const hk_nv::TmaBox &box : hk_nv::boxesOf(tile.type, type)) {
    Value address = begin;
    if (box.bytes)
      address = LLVM::GEPOp::create(builder, loc, begin.getType(), builder.getI8Type(), begin,
                                    ArrayRef<LLVM::GEPArg>{int32_t(box.bytes)});
    SmallVector<Value> place(coords);
    for (auto [dim, start] : llvm::enumerate(box.start)) {
      if (start == 0)
        continue;
      // Im2col boxes split only the channels, which are the last dimension of both tile and tensor.
      Value &coord = place[place.size() - box.start.size() + dim];
      Value offset = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), start);
      coord = LLVM::AddOp::create(builder, loc, coord, offset);
    }
    std::reverse(place.begin(), place.end());
    emit(address, place);
  }
}

/// Returns a mask of the bits of a CTA's index in its cluster that do not affect which part of the tile the CTA holds.
int32_t copiesOf(LoweringContext &lowering, hk_nv::TensorDescType type) {
  size_t rows = type.getLayout().getBlock().size();
  int32_t copies = lowering.numBlocks - (1 << rows); // the layout ignores higher bits of the index
  for (auto [bit, row] : llvm::enumerate(type.getLayout().getBlock()))
    if (llvm::all_of(row, [](int32_t entry) { return entry == 0; }))
      copies |= 1 << bit;
  return copies;
}

/// Returns the coordinates of the part of the tile that this CTA of a cluster copies. Rows of im2col tiles are not
/// distributed among CTAs.
SmallVector<Value> placeOfPart(LoweringContext &lowering, OpBuilder &builder, Location loc, hk_nv::TensorDescType type,
                               SmallVector<Value> coords) {
  if (type.getLayout().getBlock().empty() || type.isIm2col())
    return coords;
  LinearLayout map = type.getLayout().toLinearLayout(type.getBlockShape());
  SmallVector<Dim> dims;
  for (DimBits out : map.getOutDims())
    dims.push_back(out.dim);
  const Dim block[] = {Dim::Block};
  Coordinate start =
      applyLayout(builder, loc, map.sublayout(block, dims), {{Dim::Block, lowering.blockRank(builder, loc)}});
  for (auto [coord, offset] : llvm::zip_equal(coords, start))
    coord = LLVM::AddOp::create(builder, loc, coord, offset);
  return coords;
}

/// Returns an i1 that is true if this CTA is the first CTA that holds its part of the tile.
Value isFirstWithCopies(LoweringContext &lowering, OpBuilder &builder, Location loc, hk_nv::TensorDescType type) {
  auto constant = [&](int64_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); };
  Value copy = LLVM::AndOp::create(builder, loc, lowering.blockRank(builder, loc), constant(copiesOf(lowering, type)));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, copy, constant(0));
}

/// Returns the i16 multicast mask of all CTAs that hold the same part of the tile as this CTA. This CTA must be the
/// first of these CTAs.
Value blocksWithCopies(LoweringContext &lowering, OpBuilder &builder, Location loc, int32_t copies) {
  int32_t ofFirst = 0; // the multicast mask if this CTA has rank 0
  for (int32_t other = 0; other < lowering.numBlocks; ++other)
    if ((other & ~copies) == 0)
      ofFirst |= 1 << other;
  Type i16 = builder.getIntegerType(16);
  Value mask = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), ofFirst);
  mask = LLVM::ShlOp::create(builder, loc, mask, lowering.blockRank(builder, loc));
  return LLVM::TruncOp::create(builder, loc, i16, mask);
}

SmallVector<Value> firstOfEach(ArrayRef<ValueRange> values) {
  return llvm::map_to_vector(values, [](ValueRange range) { return range.front(); });
}

/// Sets an attribute with the element size on the copy. The emulator checks accesses element by element.
void tellElements(Operation *copy, hk_nv::TensorDescType type) {
  hk_nv::kElementBytesAttr.set(copy, type.getElementType().getIntOrFloatBitWidth() / 8);
}

/// Returns the cache policy; null for the default policy.
Value emitPolicy(OpBuilder &builder, Location loc, hk::CachePolicyAttr policy) {
  return policy ? lane::CachePolicyOp::create(builder, loc, policy) : Value();
}

NVVM::TMAReduxKind kindOf(hk::AtomicOp reduction) {
  switch (reduction) {
  case hk::AtomicOp::And:
    return NVVM::TMAReduxKind::AND;
  case hk::AtomicOp::Or:
    return NVVM::TMAReduxKind::OR;
  case hk::AtomicOp::Xor:
    return NVVM::TMAReduxKind::XOR;
  case hk::AtomicOp::Max:
  case hk::AtomicOp::UMax:
    return NVVM::TMAReduxKind::MAX;
  case hk::AtomicOp::Min:
  case hk::AtomicOp::UMin:
    return NVVM::TMAReduxKind::MIN;
  default:
    return NVVM::TMAReduxKind::ADD;
  }
}

struct TmaStoreLowering : LoweringPattern<hk_nv::TmaStoreOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::TmaStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    hk_nv::TensorDescType type = op.getDesc().getType();
    Value desc = adaptor.getDesc().front();
    SmallVector<Value> coords = firstOfEach(adaptor.getCoords());
    Value policy; // created in the branch of the lane that issues the copies
    auto emitBox = [&](Value address, ValueRange place) {
      if (std::optional<hk::AtomicOp> reduction = op.getReduction())
        tellElements(NVVM::CpAsyncBulkTensorReduceOp::create(
                         rewriter, loc, desc, address, NVVM::TMAReduxKindAttr::get(getContext(), kindOf(*reduction)),
                         NVVM::TMAStoreModeAttr::get(getContext(), NVVM::TMAStoreMode::TILE), place, policy),
                     type);
      else
        tellElements(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                         rewriter, loc, desc, address, place, policy,
                         NVVM::TMAStoreModeAttr::get(getContext(), NVVM::TMAStoreMode::TILE), Value()),
                     type);
    };
    coords = placeOfPart(lowering, rewriter, loc, type, std::move(coords));
    emitInOneLane(lowering, rewriter, loc, [&] {
      policy = emitPolicy(rewriter, loc, op.getPolicyAttr());
      auto emitBoxes = [&] {
        forEachBox(rewriter, loc, type, {op.getSrc().getType(), adaptor.getSrc()}, coords, emitBox);
      };
      if (copiesOf(lowering, type)) // only the first CTA with this part stores the part
        emitIf(rewriter, loc, isFirstWithCopies(lowering, rewriter, loc, type), emitBoxes);
      else
        emitBoxes();
      NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaStoreWaitLowering : LoweringPattern<hk_nv::TmaStoreWaitOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::TmaStoreWaitOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(op, op.getOutstandingAttr(), op.getReadOnlyAttr());
    return success();
  }
};

/// Returns the im2col offsets, which are added to the coordinates of each pixel, innermost dimension first; empty for
/// tiled loads.
template <typename Adaptor>
SmallVector<Value> offsetsOf(Adaptor adaptor) {
  if constexpr (requires { adaptor.getOffsets(); })
    return llvm::to_vector(llvm::reverse(firstOfEach(adaptor.getOffsets())));
  return {};
}

/// Lowers loads of tiles and im2col loads.
template <typename LoadOp>
struct TmaLoadLowering : LoweringPattern<LoadOp> {
  using LoweringPattern<LoadOp>::LoweringPattern, LoweringPattern<LoadOp>::getContext,
      LoweringPattern<LoadOp>::lowering;

  LogicalResult matchAndRewrite(LoadOp op, typename LoadOp::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    hk_nv::TensorDescType type = op.getDesc().getType();
    Value desc = adaptor.getDesc().front(), barrier = adaptor.getBarrier().front();
    SmallVector<Value> coords = firstOfEach(adaptor.getCoords()), offsets = offsetsOf(adaptor);
    auto mode = type.isIm2col() ? NVVM::TMALoadMode::IM2COL : NVVM::TMALoadMode::TILE;
    coords = placeOfPart(lowering, rewriter, loc, type, std::move(coords));
    Value pred = adaptor.getPred().front(), multicastMask;
    if (op.getMulticast()) {
      pred = LLVM::AndOp::create(rewriter, loc, pred, isFirstWithCopies(lowering, rewriter, loc, type));
      multicastMask = blocksWithCopies(lowering, rewriter, loc, copiesOf(lowering, type));
    }
    auto emitBox = [&](Value address, ValueRange place) {
      auto cluster = LLVM::LLVMPointerType::get(getContext(), kClusterAddressSpace);
      Value target = LLVM::AddrSpaceCastOp::create(rewriter, loc, cluster, address);
      tellElements(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
                       rewriter, loc, target, desc, place, barrier, offsets, multicastMask,
                       emitPolicy(rewriter, loc, op.getPolicyAttr()), mode,
                       /*isCTAOnly=*/false, /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value()),
                   type);
    };
    emitInOneLane(lowering, rewriter, loc, [&] {
      emitIf(rewriter, loc, pred,
             [&] { forEachBox(rewriter, loc, type, {op.getDst().getType(), adaptor.getDst()}, coords, emitBox); });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateTmaPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<TmaStoreLowering, TmaStoreWaitLowering, TmaLoadLowering<hk_nv::TmaLoadOp>,
               TmaLoadLowering<hk_nv::TmaLoadIm2colOp>>(lowering);
}

} // namespace hocket
