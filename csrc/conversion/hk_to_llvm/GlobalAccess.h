//===- GlobalAccess.h - Vectors of registers that one access moves ------------------===//
//
// What lowerings of global accesses share, through pointers or through a vendor's descriptors:
//
//   pointers p, p+1, .. p+7 of f32 in registers 0..7    ->   groups {0,1,2,3} and {4,5,6,7}, vectors of f32
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_GLOBALACCESS_H
#define HOCKET_CONVERSION_HK_TO_LLVM_GLOBALACCESS_H

#include "layout/VectorAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

class LoweringContext;

/// Which registers each access of `op` moves, for a value of `type`, at most `maxWidth` elements at once: what
/// addresses and mask allow (ChooseAccesses.h) and what the layout gives a lane.
VectorAccess planGlobalAccess(const LoweringContext &lowering, mlir::Operation *op, mlir::Type type,
                              int64_t maxWidth = INT64_MAX);

/// `element` itself for a width of 1, else a vector.
mlir::Type vectorType(mlir::Type element, size_t width);
/// The registers of a group, in order.
llvm::SmallVector<mlir::Value> pick(mlir::ValueRange registers, llvm::ArrayRef<int32_t> group);
/// Makes a value of `type`, a vectorType, of its elements.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                       llvm::ArrayRef<mlir::Value> elements);
/// The inverse: registers[group[i]] = element i.
void unpackVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector, llvm::ArrayRef<int32_t> group,
                  llvm::MutableArrayRef<mlir::Value> registers);

/// a and b, of which either may be null (always true).
mlir::Value conjunction(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
