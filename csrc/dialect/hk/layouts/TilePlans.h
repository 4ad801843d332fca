//===- TilePlans.h - The plans of csrc/plans for types of this dialect -------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_TILEPLANS_H
#define HOCKET_DIALECT_HK_LAYOUTS_TILEPLANS_H

#include "mlir/IR/BuiltinTypes.h"
#include "plans/ConvertLayoutPlan.h"
#include "plans/GatherPlan.h"
#include "plans/ReducePlan.h"
#include "plans/ScanPlan.h"

namespace hocket::hk {

/// Returns the number of bits of an element in shared memory and in shuffles. An i1 takes 8 bits, and a pointer 64.
unsigned storageBits(mlir::Type elementType);

/// Plans a layout conversion. Returns nullopt if blocks of a cluster cannot reach the elements that they need (see
/// plans/ConvertLayoutPlan.h).
std::optional<ConvertLayoutPlan> planConvertLayout(mlir::RankedTensorType src, mlir::RankedTensorType dst,
                                                   const TargetInfo &target);

/// Plans a reduction whose result has the operand's layout sliced along `axis`. Every block of a cluster reduces its
/// own part of the tensor.
ReducePlan planReduce(mlir::RankedTensorType src, unsigned axis);

/// Plans a scan. Returns nullopt if there is no plan for the layout, or if blocks of a cluster hold different elements
/// along `axis`.
std::optional<ScanPlan> planScan(mlir::RankedTensorType type, unsigned axis, bool isReverse);

/// Plans a gather. Returns nullopt if blocks of a cluster need elements of other blocks.
std::optional<GatherPlan> planGather(mlir::RankedTensorType src, mlir::RankedTensorType result, unsigned axis);

} // namespace hocket::hk

#endif
