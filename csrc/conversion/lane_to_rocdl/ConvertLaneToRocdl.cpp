//===- ConvertLaneToRocdl.cpp - Expands lane operations to LLVM for AMDGPU ----------------===//
//
//   lane.load          global_load_dword{,x2,x4}: llvm.load. Lanes whose predicate is false load from the kernel's
//                      argument segment, which is always readable. Without branches, the loads of a tile are in flight
//                      together. A select then replaces the loaded value by `other`, if the operation has one
//   lane.store         global_store_dword{,x2,x4}: llvm.store, under a predicate in a branch
//   lane.atomic_*      llvm.atomicrmw, llvm.cmpxchg with AMDGPU's scopes, under a predicate in a branch
//   lane.float_to_int  v_cvt_{i32,u32}_{f32,f64}, which saturate and convert NaN to 0
//   lane.assert        a branch to s_endpgm: the warp ends, and barriers of the block stop waiting for it. s_trap
//                      would end the process before the host can report the reason (written by WriteMessages)
//   llvm.intr.fma      of bf16, which CDNA does not have: computed in f32 and f64, rounded once (FusedMultiplyAdd.h)
//   rocdl.grid.dim     the block counts among the implicit kernel arguments (code object v5: three u32 at offset 0)
//
// Cache hints: cs and evict_first become non-temporal accesses, cv and wt become volatile accesses (which bypass the
// caches); the other hints have no equivalent. The back end implements memory orderings (AMDGPU memory model) and
// selects access widths; dwordx4 accesses need only the alignment of a dword.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ShortenBlocks.h"
#include "conversion/lane_to_llvm/Atomics.h"
#include "conversion/lane_to_llvm/CopyWidth.h"
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_llvm/FloatToInt.h"
#include "conversion/lane_to_llvm/FusedMultiplyAdd.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/lane_to_rocdl/SyncScopes.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTLANETOROCDL
#include "conversion/lane_to_rocdl/Passes.h.inc"

namespace {

constexpr unsigned kConstantAddressSpace = 4;
constexpr unsigned kGlobalMemory = 1;

/// True if the hints state that the data will not be used again soon. AMD GPUs have no other hint for loads and stores.
bool isNonTemporal(hk::CacheModifier cache, hk::CachePolicyAttr policy) {
  return cache == hk::CacheModifier::CS || (policy && policy.getL2() == hk::EvictionPolicy::EvictFirst);
}

/// The address of the kernel's arguments, which are 64-byte aligned and readable. The address is known without a load,
/// and is created once, at the start of the function.
class ArgumentSegment {
public:
  Value get(IRRewriter &rewriter, LLVM::LLVMFuncOp function) {
    if (address)
      return address;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Location loc = function.getLoc();
    MLIRContext *context = rewriter.getContext();
    Value segment =
        LLVM::CallIntrinsicOp::create(rewriter, loc, LLVM::LLVMPointerType::get(context, kConstantAddressSpace),
                                      rewriter.getStringAttr("llvm.amdgcn.kernarg.segment.ptr"), ValueRange())
            .getResult(0);
    address = LLVM::AddrSpaceCastOp::create(rewriter, loc, LLVM::LLVMPointerType::get(context, kGlobalMemory), segment);
    return address;
  }

private:
  Value address;
};

LogicalResult expandLoad(IRRewriter &rewriter, lane::LoadOp op, ArgumentSegment &segment) {
  Location loc = op.getLoc();
  Type type = op.getType();
  bool isPredicated = !isAlways(op.getPred());
  Value address = op.getPtr();
  if (isPredicated) {
    Value readable = segment.get(rewriter, op->getParentOfType<LLVM::LLVMFuncOp>());
    address = LLVM::SelectOp::create(rewriter, loc, op.getPred(), address, readable);
  }
  bool isVolatile = op.getIsVolatile() || op.getCache() == hk::CacheModifier::CV;
  Value result = LLVM::LoadOp::create(rewriter, loc, type, address, lane::accessBits(type) / 8, isVolatile,
                                      isNonTemporal(op.getCache(), op.getPolicyAttr()));
  if (isPredicated && op.getOther())
    result = LLVM::SelectOp::create(rewriter, loc, op.getPred(), result, op.getOther());
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult expandStore(IRRewriter &rewriter, lane::StoreOp op) {
  Location loc = op.getLoc();
  bool isVolatile = op.getCache() == hk::CacheModifier::WT;
  emitWhere(rewriter, loc, op.getPred(), Value(), [&]() -> Value {
    LLVM::StoreOp::create(rewriter, loc, op.getValue(), op.getPtr(), lane::accessBits(op.getValue().getType()) / 8,
                          isVolatile, isNonTemporal(op.getCache(), op.getPolicyAttr()));
    return Value();
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult expandAtomicRmw(IRRewriter &rewriter, lane::AtomicRmwOp op) {
  Value result = emitWhere(rewriter, op.getLoc(), op.getPred(), Value(), [&]() -> Value {
    LLVM::AtomicRMWOp atomic =
        emitAtomicRmw(rewriter, op, op.getPtr(), orderingOf(op.getSem()), kAmdScopes.of(op.getScope()));
    // The metadata state that the memory belongs to this GPU, and is not fine-grained memory that the host or another
    // GPU shares. LLVM selects atomic instructions only under these conditions. Atomics of system scope get no such
    // metadata, because they can access memory of the host.
    if (op.getScope() != hk::MemScope::Sys) {
      atomic->setAttr("rocdl.no_fine_grained_memory", rewriter.getUnitAttr());
      atomic->setAttr("rocdl.no_remote_memory", rewriter.getUnitAttr());
    }
    if (op.getOp() == hk::AtomicOp::FAdd && op.getType().isF32())
      atomic->setAttr("rocdl.ignore_denormal_mode", rewriter.getUnitAttr());
    return atomic;
  });
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult expandAtomicCas(IRRewriter &rewriter, lane::AtomicCasOp op) {
  Value result = emitWhere(rewriter, op.getLoc(), op.getPred(), Value(), [&]() -> Value {
    return emitAtomicCas(rewriter, op, op.getPtr(), orderingOf(op.getSem()), kAmdScopes.of(op.getScope()));
  });
  rewriter.replaceOp(op, result);
  return success();
}

/// Expands a conversion. For results of 32 bits, LLVM selects the hardware's saturating instructions. But LLVM's
/// optimizations assume that all values are in range, and for example turn a conversion from integer to float and back
/// into a truncation. An arithmetic fence, which emits no instruction, hides the float from such optimizations. For 64
/// bits, the hardware has no instruction, and LLVM's exact expansion is used.
void expandFloatToInt(IRRewriter &rewriter, lane::FloatToIntOp op) {
  Location loc = op.getLoc();
  auto call = [&](StringRef name, Type type, Value value) {
    return LLVM::CallIntrinsicOp::create(rewriter, loc, type, rewriter.getStringAttr(name), value).getResult(0);
  };
  Value result = emitFloatToInt(rewriter, op, [&](Value value, Type type) -> Value {
    if (type.isInteger(64))
      return call(op.getIsUnsigned() ? "llvm.fptoui.sat" : "llvm.fptosi.sat", type, value);
    Value hidden = call("llvm.arithmetic.fence", value.getType(), value);
    if (op.getIsUnsigned())
      return LLVM::FPToUIOp::create(rewriter, loc, type, hidden);
    return LLVM::FPToSIOp::create(rewriter, loc, type, hidden);
  });
  rewriter.replaceOp(op, result);
}

LogicalResult expandAssert(IRRewriter &rewriter, lane::AssertOp op) {
  Location loc = op.getLoc();
  Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(), rewriter.getBoolAttr(true));
  Value fails = LLVM::XOrOp::create(rewriter, loc, op.getCondition(), one);
  emitWhere(rewriter, loc, fails, Value(), [&]() -> Value {
    LLVM::CallIntrinsicOp::create(rewriter, loc, rewriter.getStringAttr("llvm.amdgcn.endpgm"), ValueRange());
    return Value();
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult expandGridDim(IRRewriter &rewriter, Operation *op, unsigned axis) {
  Location loc = op->getLoc();
  auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext(), kConstantAddressSpace);
  Value implicit = LLVM::CallIntrinsicOp::create(rewriter, loc, pointer,
                                                 rewriter.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
                       .getResult(0);
  Type i32 = rewriter.getI32Type();
  Value address = LLVM::GEPOp::create(rewriter, loc, pointer, i32, implicit, ArrayRef<LLVM::GEPArg>{int32_t(axis)});
  rewriter.replaceOp(op, LLVM::LoadOp::create(rewriter, loc, i32, address, /*alignment=*/4, /*isVolatile=*/false,
                                              /*isNonTemporal=*/false, /*isInvariant=*/true));
  return success();
}

LogicalResult checkCopy(Operation *copy, int64_t bytes) {
  if (failed(hk::requireFacts(copy->getParentOfType<ModuleOp>())))
    return failure();
  return checkCopyWidth(copy, bytes, hk::targetOf(copy));
}

LogicalResult expand(IRRewriter &rewriter, Operation *op, ArgumentSegment &segment) {
  rewriter.setInsertionPoint(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](lane::LoadOp load) { return expandLoad(rewriter, load, segment); })
      .Case([&](lane::StoreOp store) { return expandStore(rewriter, store); })
      .Case([&](lane::AtomicRmwOp atomic) { return expandAtomicRmw(rewriter, atomic); })
      .Case([&](lane::AtomicCasOp atomic) { return expandAtomicCas(rewriter, atomic); })
      .Case([&](lane::AssertOp assertion) { return expandAssert(rewriter, assertion); })
      .Case([&](lane::FloatToIntOp cast) {
        expandFloatToInt(rewriter, cast);
        return success();
      })
      .Case([&](lane::PrintOp print) {
        return emitError(print.getLoc()) << "cannot convert a lane.print; run hocket-write-messages first";
      })
      .Case([&](LLVM::FMAOp fma) {
        rewriter.replaceOp(fma, emitNarrowFma(rewriter, fma.getLoc(), fma.getA(), fma.getB(), fma.getC()));
        return success();
      })
      .Case([&](ROCDL::GridDimXOp) { return expandGridDim(rewriter, op, 0); })
      .Case([&](ROCDL::GridDimYOp) { return expandGridDim(rewriter, op, 1); })
      .Case([&](ROCDL::GridDimZOp) { return expandGridDim(rewriter, op, 2); })
      .Case<ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp>([](auto copy) { return checkCopy(copy, copy.getSize()); })
      .Case([](ROCDL::RawPtrBufferLoadLdsOp copy) {
        APInt bytes;
        if (!matchPattern(copy.getSize(), m_ConstantInt(&bytes)))
          return LogicalResult(copy.emitError() << copy->getName() << " needs a constant size");
        return checkCopy(copy, bytes.getSExtValue());
      })
      .Default([](Operation *other) {
        return emitError(other->getLoc()) << "'" << other->getName() << "' cannot be expanded for AMD GPUs";
      });
}

struct ConvertLaneToRocdl : impl::ConvertLaneToRocdlBase<ConvertLaneToRocdl> {
  void runOnOperation() override {
    shortenBlocks(getOperation().getBody());
    SmallVector<Operation *> operations;
    getOperation().walk([&](Operation *op) {
      // CDNA has no fma of bf16.
      bool isFmaOfBf16 = isa<LLVM::FMAOp>(op) && op->getResult(0).getType().isBF16();
      bool isCopy = isa<ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp, ROCDL::RawPtrBufferLoadLdsOp>(op);
      if (isa<lane::LaneDialect, NVVM::NVVMDialect>(op->getDialect()) || isFmaOfBf16 || isCopy ||
          isa<ROCDL::GridDimXOp, ROCDL::GridDimYOp, ROCDL::GridDimZOp>(op))
        operations.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    ArgumentSegment segment;
    for (Operation *op : operations)
      if (failed(expand(rewriter, op, segment)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace hocket
