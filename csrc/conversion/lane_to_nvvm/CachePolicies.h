//===- CachePolicies.h - Cache modifiers and policies in PTX ---------------------------------===//
//
//   cache modifier    .ca, .cg, ...                      suffix of the instruction; cannot be combined with l1
//   l1                .L1::evict_first, ...              suffix of the instruction
//   l2                .L2::cache_hint                    suffix and an operand, the result of createpolicy.fractional
//   prefetch          .L2::128B                          suffix of the instruction, for reads only
//
// PTX ISA 9.0, "ld", "st", "cp.async", "createpolicy".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_CACHEPOLICIES_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_CACHEPOLICIES_H

#include "conversion/lane_to_nvvm/Ptx.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket::nvvm {

/// Returns the suffix of a cache modifier, for instance `.cg`.
llvm::StringRef cacheSuffix(hk::CacheModifier cache);

/// Returns the suffixes of an access. `policy` may be null.
std::string cacheSuffixes(hk::CacheModifier cache, hk::CachePolicyAttr policy, bool isRead);

/// Appends the operand that `.L2::cache_hint` needs; appends nothing if `policy` has no policy for the L2 cache.
void appendPolicyOperand(Ptx &ptx, mlir::OpBuilder &builder, mlir::Location loc, hk::CachePolicyAttr policy);

/// Emits the computation of the policy for the L2 cache; returns it as i64.
mlir::Value emitPolicyOfL2(mlir::OpBuilder &builder, mlir::Location loc, hk::CachePolicyAttr policy);

} // namespace hocket::nvvm

#endif
