//===- TmaDescriptors.cpp - Lowers the construction of tensor descriptors in kernels --------===//
//
//   hk_nv.make_tensor_desc     128 bytes of zeros, tensormap.replace.tile of each field,
//                              fence.proxy.tensormap::generic.release, acquire
//   hk_nv.acquire_tensor_desc  fence.proxy.tensormap::generic.acquire
//
// The lane that starts copies also builds the descriptor (OneLane.h), so that its own fences suffice. TMA reads
// descriptors through a separate cache: the release fence writes the fields back to memory, and the acquire fence makes
// the next copy read them again.
//
// PTX ISA 9.0, "tensormap.replace", "membar / fence". LLVM's intrinsics take the rank minus one, and strides in
// bytes.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/OneLane.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/NVVMIntrinsicUtils.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int32_t kDescriptorBytes = 128, kPieceBytes = 16;

/// Returns the TMA element type of `type`. Types on which TMA has no arithmetic become the unsigned integer type of the
/// same width.
llvm::nvvm::TensormapElemType elementOf(Type type, bool isUnsigned) {
  using Element = llvm::nvvm::TensormapElemType;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  switch (type.getIntOrFloatBitWidth()) {
  case 16:
    return Element::U16;
  case 32:
    return isUnsigned ? Element::U32 : Element::S32;
  case 64:
    return isUnsigned ? Element::U64 : Element::S64;
  default:
    return Element::U8;
  }
}

uint32_t swizzleOf(hk_nv::MmaSharedAttr layout) {
  using Swizzle = llvm::nvvm::TensormapSwizzleMode;
  switch (layout.getSwizzle()) {
  case 32:
    return uint32_t(Swizzle::SWIZZLE_32B);
  case 64:
    return uint32_t(Swizzle::SWIZZLE_64B);
  case 128:
    return uint32_t(Swizzle::SWIZZLE_128B);
  default:
    return uint32_t(Swizzle::NO_SWIZZLE);
  }
}

struct MakeTensorDescLowering : LoweringPattern<hk_nv::MakeTensorDescOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::MakeTensorDescOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getPlace())
      return rewriter.notifyMatchFailure(op, "has no address; run hocket-place-descriptors first");
    Location loc = op.getLoc();
    Value place = adaptor.getPlace().front();
    Value desc =
        LLVM::AddrSpaceCastOp::create(rewriter, loc, LLVM::LLVMPointerType::get(getContext()), place).getResult();
    emitInOneLane(lowering, rewriter, loc, [&] {
      emitFields(op, adaptor, rewriter, place, desc);
      NVVM::FenceProxyReleaseOp::create(rewriter, loc, NVVM::MemScopeKind::GPU);
      emitAcquire(rewriter, loc, desc);
    });
    rewriter.replaceOp(op, desc);
    return success();
  }

  static void emitAcquire(OpBuilder &builder, Location loc, Value desc) {
    Value bytes = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), kDescriptorBytes);
    NVVM::FenceProxyAcquireOp::create(builder, loc, NVVM::MemScopeKind::GPU, desc, bytes);
  }

private:
  /// Emits the fields of the descriptor. `place` and `desc` are the address of the descriptor, as a global pointer and
  /// as a generic pointer.
  static void emitFields(hk_nv::MakeTensorDescOp op, OneToNOpAdaptor adaptor, OpBuilder &builder, Value place,
                         Value desc) {
    Location loc = op.getLoc();
    hk_nv::TensorDescType type = op.getResult().getType();
    auto number = [&](int64_t value, unsigned bits) -> Value {
      return LLVM::ConstantOp::create(builder, loc, builder.getIntegerType(bits), value);
    };
    auto replace = [&](StringRef field, ArrayRef<Value> values) {
      SmallVector<Value> operands = {place};
      llvm::append_range(operands, values);
      std::string name = ("llvm.nvvm.tensormap.replace." + field + ".p1").str();
      LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name), operands);
    };
    auto piece = VectorType::get(2, builder.getI64Type());
    Value zeros = LLVM::ZeroOp::create(builder, loc, piece);
    for (int32_t offset = 0; offset < kDescriptorBytes; offset += kPieceBytes) {
      Value address =
          LLVM::GEPOp::create(builder, loc, desc.getType(), builder.getI8Type(), desc, ArrayRef<LLVM::GEPArg>{offset});
      LLVM::StoreOp::create(builder, loc, zeros, address, /*alignment=*/kPieceBytes);
    }

    Value address = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), adaptor.getBase().front());
    replace("global.address", {address});
    unsigned rank = type.getRank();
    replace("rank", {number(rank - 1, 32)});
    int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    for (auto [i, box] : llvm::enumerate(llvm::reverse(type.getBoxShape()))) {
      Value dimension = number(int64_t(i), 32);
      replace("box.dim", {dimension, number(box, 32)});
      replace("global.dim", {dimension, adaptor.getShape()[rank - 1 - i].front()});
      replace("element.stride", {dimension, number(1, 32)});
    }
    for (unsigned i = 0; i + 1 < rank; ++i) { // the map has no stride of dimension 0
      Value stride = adaptor.getStrides()[rank - 2 - i].front();
      Value bytes = LLVM::MulOp::create(builder, loc, stride, number(elementBytes, 64));
      replace("global.stride", {number(i, 32), bytes});
    }
    replace("elemtype", {number(int64_t(elementOf(type.getElementType(), op.getIsUnsigned())), 32)});
    replace("interleave.layout", {number(0, 32)});
    replace("swizzle.mode", {number(swizzleOf(type.getLayout()), 32)});
    replace("fill.mode", {number(op.getFillsNan(), 32)});
  }
};

struct AcquireTensorDescLowering : LoweringPattern<hk_nv::AcquireTensorDescOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::AcquireTensorDescOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MakeTensorDescLowering::emitAcquire(rewriter, op.getLoc(), adaptor.getDesc().front());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateTmaDescriptorPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<MakeTensorDescLowering, AcquireTensorDescLowering>(lowering);
}

} // namespace hocket
