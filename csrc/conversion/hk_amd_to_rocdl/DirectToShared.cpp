//===- DirectToShared.cpp - Lowers copies from global memory directly to LDS ----------------===//
//
//   hk_amd.buffer_load_to_shared   buffer_load_dword{,x4} ... lds     one per chunk: 64 lanes x 4 or 16 bytes
//   hk.async_copy_to_shared        global_load_lds_dword{,x4}
//
// The address in LDS is uniform in the warp (register M0), so it is computed from the warp's index as a scalar. The
// data of consecutive lanes are consecutive in LDS (layout/DirectCopy.h explains which layouts this allows). The
// lowering uses the widest copy that the GPU, the layouts, the addresses and the mask allow. If several warps hold the
// same elements of a tile, only the first of these warps executes the copy.
//
// In LDS, the elements of a masked-off lane must be `other`, or 0 if the operation has no `other`:
//
//   through a buffer, 0    the lane's offset is out of bounds (Buffer.h), so the hardware writes 0
//   otherwise              a branch: lanes with a true mask copy, other lanes store `other` by ds_write. Inactive lanes
//                          of the copy do not shift the destinations of lanes with higher indices.
//
// The lowering uses neither copies of 1 or 2 bytes per lane (CDNA3) nor copies of 12 bytes per lane (CDNA4). The
// lowering does not permute the global addresses of lanes to match a swizzled destination, because the user can choose
// a matching layout of the addresses.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Buffer.h"
#include "conversion/hk_amd_to_rocdl/DirectWidth.h"
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// A copy directly to LDS, which the lowerings of both operations emit: computes the addresses of chunks in LDS, and
/// stores `other` for masked-off lanes.
class Copy {
public:
  Copy(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, hk::MemDescType tile,
       ValueRange buffer, ValueRange masks, ValueRange others)
      : lowering(lowering), rewriter(rewriter), op(op), loc(op->getLoc()), type(tile), buffer(buffer), masks(masks),
        others(others) {}

  /// Chooses the width of the copy, or emits an error at the operation if no width is possible. Does not change the IR.
  LogicalResult plan() {
    if (type.getSlotRank() != 0)
      return op->emitError("cannot copy into all buffers of a ring at once; select one with memdesc_index");
    FailureOr<DirectWidth> chosen = chooseDirectWidth(lowering, op, type);
    if (failed(chosen))
      return failure();
    width = std::move(*chosen);
    return success();
  }

  /// Emits one instruction per chunk. `issue(reg, mask, bytes, address)` emits the copy of the elements of register
  /// `reg` and of the adjacent registers. `fillsWithZero` is true if the instruction itself writes 0 for lanes with a
  /// false mask.
  using Issue = llvm::function_ref<void(int32_t reg, Value mask, int32_t bytes, Value address)>;
  void run(bool fillsWithZero, Issue issue) {
    LinearLayout layout = tensorLayout(width.source);
    int32_t copies =
        layout.getFreeVariableMasks()[Dim::Warp] | (layoutWarps(lowering.numWarps) - layout.getInDimSize(Dim::Warp));
    if (!copies)
      return runPieces(fillsWithZero, issue);
    Value warp = lowering.uniformWarpId(rewriter, loc);
    Value copy = LLVM::AndOp::create(rewriter, loc, warp, i32(copies));
    Value isFirst = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, copy, i32(0));
    emitIf(rewriter, loc, isFirst, [&] { runPieces(fillsWithZero, issue); });
  }

private:
  Value i32(int32_t value) { return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), value); }

  void runPieces(bool fillsWithZero, Issue issue) {
    LinearLayout bufferOffsets = hk::offsetsOfBuffer(type);
    SharedTile tile({Value(), lowering.uniformWarpId(rewriter, loc)}, rewriter, loc, buffer.front(),
                    tensorLayout(width.source).compose(bufferOffsets), elementType(),
                    cast<hk::SharedLayout>(type.getLayout()).getPaddings(),
                    emitViewStart(rewriter, loc, type, buffer.drop_front(), bufferOffsets));
    for (const std::vector<int32_t> &group : width.groups) {
      int32_t reg = group.front();
      Value mask = masks.empty() ? Value() : masks[reg];
      Value address = tile.address(tile.registerOffset(reg));
      if (!mask || (fillsWithZero && (others.empty() || areZero(pick(others, group))))) {
        issue(reg, mask, width.bytes, address);
        continue;
      }
      emitIf(
          rewriter, loc, mask, [&] { issue(reg, Value(), width.bytes, address); }, [&] { storeOther(group, address); });
    }
  }

  /// Stores `other` to this lane's part of the chunk at `address`.
  void storeOther(ArrayRef<int32_t> group, Value address) {
    Value offset = LLVM::MulOp::create(rewriter, loc, lowering.laneId(rewriter, loc), i32(width.bytes));
    Value mine = LLVM::GEPOp::create(rewriter, loc, address.getType(), rewriter.getI8Type(), address,
                                     ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
    Type vector = vectorType(elementType(), group.size());
    Value value = others.empty() ? LLVM::ZeroOp::create(rewriter, loc, vector).getResult()
                                 : packVector(rewriter, loc, vector, pick(others, group));
    LLVM::StoreOp::create(rewriter, loc, value, mine, /*alignment=*/width.bytes);
  }

  Type elementType() const { return lowering.typeConverter.elementType(width.source); }

  LoweringContext &lowering;
  ConversionPatternRewriter &rewriter;
  Operation *op;
  Location loc;
  hk::MemDescType type;
  ValueRange buffer, masks, others;
  DirectWidth width;
};

struct BufferLoadToSharedLowering : LoweringPattern<hk_amd::BufferLoadToSharedOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::BufferLoadToSharedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    Copy copy(lowering, rewriter, op, type, adaptor.getDst(), adaptor.getMask(), adaptor.getOther());
    if (failed(copy.plan()))
      return failure();
    Buffer memory(lowering.target, rewriter, loc, adaptor.getPtr().front(), hk::storageBits(type.getElementType()) / 8);
    Value policy = memory.i32(cachePolicy(*lowering.target.amdMemory, op.getCache()));
    ValueRange offsets = adaptor.getOffsets();
    copy.run(/*fillsWithZero=*/true, [&](int32_t reg, Value mask, int32_t bytes, Value address) {
      ROCDL::RawPtrBufferLoadLdsOp::create(rewriter, loc, memory.getDescriptor(), address, memory.i32(bytes),
                                           memory.byteOffset(offsets[reg], mask), memory.scalarOffset(), memory.i32(0),
                                           policy, ArrayAttr(), ArrayAttr(), ArrayAttr());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCopyToSharedLowering : LoweringPattern<hk::AsyncCopyToSharedOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AsyncCopyToSharedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Copy copy(lowering, rewriter, op, cast<hk::MemDescType>(op.getDst().getType()), adaptor.getDst(), adaptor.getMask(),
              adaptor.getOther());
    if (failed(copy.plan()))
      return failure();
    uint32_t policy = cachePolicy(*lowering.target.amdMemory, op.getCache());
    ValueRange pointers = adaptor.getPtr();
    copy.run(/*fillsWithZero=*/false, [&](int32_t reg, Value, int32_t bytes, Value address) {
      ROCDL::GlobalLoadLDSOp::create(rewriter, loc, pointers[reg], address, static_cast<uint32_t>(bytes),
                                     /*offset=*/0u, policy, ArrayAttr(), ArrayAttr(), ArrayAttr());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateDirectToSharedPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<BufferLoadToSharedLowering, AsyncCopyToSharedLowering>(lowering);
}

} // namespace hocket
