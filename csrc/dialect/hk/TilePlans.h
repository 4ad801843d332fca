//===- TilePlans.h - The plans of csrc/plans for types of this dialect -------------===//
#ifndef HOCKET_DIALECT_HK_TILEPLANS_H
#define HOCKET_DIALECT_HK_TILEPLANS_H

#include "mlir/IR/BuiltinTypes.h"
#include "plans/ConvertLayoutPlan.h"
#include "plans/GatherPlan.h"
#include "plans/ReducePlan.h"
#include "plans/ScanPlan.h"

namespace hocket::hk {

/// Bits that an element takes in shared memory and in shuffled words: i1 takes a byte, pointers 64 bits.
unsigned storageBits(mlir::Type elementType);

/// Nothing where blocks of a cluster cannot reach what they want (see plans/ConvertLayoutPlan.h).
std::optional<ConvertLayoutPlan> planConvertLayout(mlir::RankedTensorType src, mlir::RankedTensorType dst,
                                                   const TargetInfo &target);

/// The result's layout is the operand's sliced along `axis`. Every block of a cluster reduces what it holds.
ReducePlan planReduce(mlir::RankedTensorType src, unsigned axis);

/// Nothing where the layout has no plan, or blocks of a cluster hold different elements along `axis`.
std::optional<ScanPlan> planScan(mlir::RankedTensorType type, unsigned axis, bool isReverse);

/// Nothing where blocks of a cluster want what other blocks hold.
std::optional<GatherPlan> planGather(mlir::RankedTensorType src, mlir::RankedTensorType result, unsigned axis);

} // namespace hocket::hk

#endif
