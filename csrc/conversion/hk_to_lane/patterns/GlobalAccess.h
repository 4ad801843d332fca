//===- GlobalAccess.h - Groups registers into vectors of one global access ----------===//
//
// The functions of this file serve the lowerings of all global accesses, through pointers or through a vendor's
// descriptors:
//
//   pointers p, p+1, ... p+7 of f32 in registers 0..7   ->   groups {0,1,2,3} and {4,5,6,7}, vectors of f32
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_GLOBALACCESS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_GLOBALACCESS_H

#include "layout/VectorAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

class LoweringContext;

/// Returns the registers of a value of `type` that each access of `op` covers. An access covers at most `maxWidth`
/// elements of one lane, for which addresses and mask allow one access (ChooseAccesses.h).
VectorAccess planGlobalAccess(const LoweringContext &lowering, mlir::Operation *op, mlir::Type type,
                              int64_t maxWidth = INT64_MAX);

/// Returns the type of `width` elements: `element` itself for a width of 1, otherwise a vector type.
mlir::Type vectorType(mlir::Type element, size_t width);
/// Returns the registers of a group, in order.
llvm::SmallVector<mlir::Value> pick(mlir::ValueRange registers, llvm::ArrayRef<int32_t> group);
/// Packs the elements into a value of `type`, which vectorType has returned.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                       llvm::ArrayRef<mlir::Value> elements);
/// The inverse of packVector: registers[group[i]] = element i.
void unpackVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector, llvm::ArrayRef<int32_t> group,
                  llvm::MutableArrayRef<mlir::Value> registers);

/// Returns the logical conjunction of the conditions `a` and `b`. A null condition means true.
mlir::Value conjunction(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
