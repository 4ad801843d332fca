//===- TilePlans.h - The plans of csrc/plans for types of this dialect -------------===//
#ifndef HOCKET_DIALECT_HK_TILEPLANS_H
#define HOCKET_DIALECT_HK_TILEPLANS_H

#include "mlir/IR/BuiltinTypes.h"
#include "plans/ConvertLayoutPlan.h"
#include "plans/ReducePlan.h"

namespace hocket::hk {

/// Bits that an element takes in shared memory and in shuffled words: i1 takes a byte, pointers 64 bits.
unsigned storageBits(mlir::Type elementType);

/// Nothing where blocks of a cluster cannot reach what they want (see plans/ConvertLayoutPlan.h).
std::optional<ConvertLayoutPlan> planConvertLayout(mlir::RankedTensorType src, mlir::RankedTensorType dst,
                                                   const TargetInfo &target);

/// The result's layout is the operand's sliced along `axis`. Every block of a cluster reduces what it holds.
ReducePlan planReduce(mlir::RankedTensorType src, unsigned axis);

} // namespace hocket::hk

#endif
