//===- AsyncCopies.cpp - Lowers asynchronous copies from global to shared memory -------------===//
//
//   hk.async_copy_to_shared     cp.async.{ca,cg}.shared.global [target], [source], bytes{, bytes or 0}
//
// An instruction copies 4, 8 or 16 aligned bytes for each lane. The copied elements are adjacent in both memories, and
// have the same mask. If the mask is false, the lane reads 0 bytes, and the hardware writes zeros. If several lanes or
// warps hold an element, the first of these lanes copies the element.
//
// Copies of 16 bytes bypass L1 (.cg) unless the cache modifier requests otherwise; narrower copies cannot bypass L1.
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: Non-bulk copy".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int kWidestCopy = 16, kNarrowestCopy = 4;

/// The registers that each instruction copies.
struct CopyPlan {
  int32_t bytes = 0;
  VectorAccess access;
};

/// Plans the widest copies of elements that are adjacent in both memories.
FailureOr<CopyPlan> planCopy(const LoweringContext &lowering, hk::AsyncCopyToSharedOp op, RankedTensorType source,
                             const LinearLayout &toOffset, int32_t startBits) {
  auto tile = cast<hk::MemDescType>(op.getDst().getType());
  int32_t elementBits = hk::storageBits(tile.getElementType()), elementBytes = elementBits / 8;
  auto paddings = cast<hk::SharedLayout>(tile.getLayout()).getPaddings();
  int32_t sharedWidth =
      planVectorAccess(toOffset, widestVector(8 * kWidestCopy, elementBits, paddings, startBits)).width;
  int32_t globalWidth = planGlobalAccess(lowering, op, source).width;
  for (int32_t width = std::min(sharedWidth, globalWidth); width * elementBytes >= kNarrowestCopy; width /= 2) {
    VectorAccess inShared = planVectorAccess(toOffset, width), inGlobal = planGlobalAccess(lowering, op, source, width);
    bool agree = llvm::all_of(
        inShared.groups, [&](const std::vector<int32_t> &group) { return llvm::is_contained(inGlobal.groups, group); });
    if (agree)
      return CopyPlan{width * elementBytes, std::move(inShared)};
  }
  InFlightDiagnostic error =
      op->emitError() << "cannot copy asynchronously: cp.async copies 4, 8 or 16 bytes per lane, but a lane holds ";
  bool isShared = sharedWidth * elementBytes < kNarrowestCopy;
  if (isShared)
    error << sharedWidth * elementBytes << " contiguous bytes of the tile in shared memory";
  else if (globalWidth * elementBytes < kNarrowestCopy)
    error << globalWidth * elementBytes << " bytes that are known to be contiguous in global memory, under one mask";
  else
    error << "elements whose order differs between shared and global memory";
  error.attachNote()
      << "hint: "
      << (isShared ? "give each lane more contiguous elements (size_per_thread) along the tile's fastest "
                     "dimension, and use a shared layout with vectors of the same width (vec)"
                   : "give each lane contiguous elements of global memory (size_per_thread), and declare facts "
                     "about the addresses, e.g. strides that are multiples of 16, or with multiple_of and "
                     "max_contiguous");
  return failure();
}

/// Rejects copies to the shared memory of another block, because cp.async can write only the shared memory of its own
/// block.
LogicalResult refuseOtherMemory(Operation *op) {
  InFlightDiagnostic error = op->emitError("asynchronous copies cannot write to the shared memory of another CTA of "
                                           "the cluster, but the pointers and the tile are distributed differently "
                                           "over the CTAs (cga_layout)");
  error.attachNote() << "hint: give the pointers a layout that assigns each element to the CTA that holds it in shared "
                        "memory, or load the elements with gl.load and store them with smem.store";
  return error;
}

struct AsyncCopyToSharedLowering : LoweringPattern<hk::AsyncCopyToSharedOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::AsyncCopyToSharedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    if (type.getSlotRank() != 0)
      return op->emitError("cannot copy into all buffers of a ring at once; select one with memdesc_index");
    if (op.getOther())
      return op->emitError("masked elements of an asynchronous copy become 0 on NVIDIA GPUs; 'other' is not supported");
    auto source = cast<RankedTensorType>(op.getGlobalAddresses().accessed);
    LinearLayout layout = tensorLayout(source), bufferOffsets = hk::offsetsOfBuffer(type);
    ClusterAccess access = hk::planStore(source, type, lowering.numBlocks);
    if (!access.isOwn)
      return refuseOtherMemory(op);
    LinearLayout toOffset = access.offsetInPart();
    FailureOr<CopyPlan> plan = planCopy(lowering, op, source, toOffset, hk::startBits(type, bufferOffsets));
    if (failed(plan))
      return failure();

    auto emit = [&] {
      SharedTile tile(lowering, rewriter, loc, adaptor.getDst().front(), toOffset,
                      lowering.typeConverter.elementType(source),
                      cast<hk::SharedLayout>(type.getLayout()).getPaddings(),
                      emitViewStart(rewriter, loc, type, adaptor.getDst().drop_front(), bufferOffsets));
      for (const std::vector<int32_t> &group : plan->access.groups) {
        int32_t reg = group.front();
        Value mask = adaptor.getMask().empty() ? Value() : adaptor.getMask()[reg];
        emitCopy(rewriter, op, tile.address(tile.registerOffset(reg)), adaptor.getPtr()[reg], plan->bytes, mask);
      }
    };
    // If several CTAs hold the tile, each of them writes its own shared memory.
    if (Value isFirst = emitIsFirstInBlock(lowering, rewriter, loc, layout))
      emitIf(rewriter, loc, isFirst, emit);
    else
      emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitCopy(OpBuilder &builder, hk::AsyncCopyToSharedOp op, Value place, Value source, int32_t bytes,
                       Value mask) {
    Location loc = op.getLoc();
    auto i32 = [&](int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); };
    bool isPastL1 = bytes == kWidestCopy && op.getCache() != hk::CacheModifier::CA;
    Value read = mask ? LLVM::SelectOp::create(builder, loc, mask, i32(bytes), i32(0)).getResult() : Value();
    auto copy =
        NVVM::CpAsyncOp::create(builder, loc, place, source, bytes,
                                isPastL1 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA, read);
    if (hk::CachePolicyAttr policy = op.getPolicyAttr())
      lane::kCachePolicyAttr.setAttr(copy, policy);
  }
};

} // namespace

void populateAsyncCopyPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<AsyncCopyToSharedLowering>(lowering);
}

} // namespace hocket
