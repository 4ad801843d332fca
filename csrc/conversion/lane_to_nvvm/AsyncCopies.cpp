//===- AsyncCopies.cpp - Expands cp.async with a cache policy, and policies of bulk copies ----===//
//
// NVVM's operation for cp.async has no operand for a cache policy, so a copy with a policy becomes inline PTX (PTX ISA
// 9.0, "cp.async").
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_nvvm/CachePolicies.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket::nvvm {

LogicalResult expandCopyWithPolicy(IRRewriter &rewriter, NVVM::CpAsyncOp op) {
  auto policy = lane::kCachePolicyAttr.getAttr(op);
  bool isPastL1 = op.getModifier() == NVVM::LoadCacheModifierKind::CG;
  Ptx ptx;
  std::string target = ptx.input(op.getDst(), "r"), source = ptx.input(op.getSrc(), "l");
  ptx.text = "cp.async" + cacheSuffixes(isPastL1 ? hk::CacheModifier::CG : hk::CacheModifier::CA, {}, true) +
             ".shared.global" + cacheSuffixes(hk::CacheModifier::None, policy, /*isRead=*/true) + " [" + target +
             "], [" + source + "], " + std::to_string(op.getSize());
  if (Value read = op.getCpSize())
    ptx.text += ", " + ptx.input(read, "r");
  appendPolicyOperand(ptx, rewriter, op.getLoc(), policy);
  ptx.text += ";";
  ptx.emit(rewriter, op.getLoc(), Type(), /*hasSideEffects=*/true);
  rewriter.eraseOp(op);
  return success();
}

/// Returns the constant that createpolicy.fractional computes for a policy that applies to all accesses; nullopt for
/// other policies. CUTLASS uses the same constants for cache policies.
static std::optional<uint64_t> knownPolicy(hk::CachePolicyAttr policy) {
  constexpr uint64_t kEvictFirst = 0x12F0000000000000, kEvictLast = 0x14F0000000000000;
  if (policy.getFraction())
    return std::nullopt;
  switch (policy.getL2()) {
  case hk::EvictionPolicy::EvictFirst:
    return kEvictFirst;
  case hk::EvictionPolicy::EvictLast:
    return kEvictLast;
  default:
    return std::nullopt;
  }
}

LogicalResult expandCachePolicy(IRRewriter &rewriter, lane::CachePolicyOp op) {
  if (std::optional<uint64_t> known = knownPolicy(op.getPolicy()))
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, op.getType(), rewriter.getI64IntegerAttr(int64_t(*known)));
  else
    rewriter.replaceOp(op, emitPolicyOfL2(rewriter, op.getLoc(), op.getPolicy()));
  return success();
}

} // namespace hocket::nvvm
