//===- OncePerElement.h - Executes atomics once for each element ---------------------===//
//
// Every element is combined with memory once, by the first of the lanes that hold it, under the predicate "mask and
// first". If the old values are used, they are then sent to the other holders:
//
//   copies on lanes of the warp     a shuffle from the lane whose free bits are 0
//   copies on other warps           through scratch memory (hk.offset), one element after the other; with a barrier
//
// An atomic on a scalar acts for the whole block (a lock, the counter of finished blocks). If it releases, earlier
// accesses of all warps must be visible, so a barrier precedes it. An atomic on a tensor orders each lane's accesses
// only.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_ONCEPERELEMENT_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_ONCEPERELEMENT_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/ir/HkDialect.h"
#include "layout/VectorAccess.h"

namespace hocket {

/// Returns the row-major element index as a function of register, lane and warp.
LinearLayout elementIndex(const LinearLayout &layout);

class OncePerElement {
public:
  /// `plan` defines the registers that act together; its groups contain each element of a lane once. Blocks of a
  /// cluster whose indices differ in the bits `actingBlocks` act independently, on memory of their own.
  OncePerElement(LoweringContext &lowering, mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::Type type, VectorAccess plan, int32_t actingBlocks = 0);

  /// Checks that the results can be sent to all lanes that use them; emits an error if not.
  mlir::LogicalResult check() const;

  /// Calls `emit` for each group on which this lane may act, under the predicate `pred` (null: true); `emit` writes the
  /// old values to `results`, by register. Returns the old values in all registers.
  using Emit = llvm::function_ref<void(llvm::ArrayRef<int32_t> group, mlir::Value pred,
                                       llvm::MutableArrayRef<mlir::Value> results)>;
  llvm::SmallVector<mlir::Value> run(mlir::ValueRange masks, hk::MemSemantic semantic, Emit emit);

private:
  bool needsScratch() const;
  void shuffleFromFirst(llvm::MutableArrayRef<mlir::Value> results);
  void passThroughScratch(llvm::MutableArrayRef<mlir::Value> results, mlir::Value isFirst);

  LoweringContext &lowering;
  mlir::ConversionPatternRewriter &rewriter;
  mlir::Operation *op;
  mlir::Location loc;
  bool isTensor;
  LinearLayout layout;
  VectorAccess plan;
  mlir::Type element;
  const int32_t actingBlocks;
  Coords free;
  /// The registers that act: those of all groups.
  llvm::SmallVector<int32_t> acting;
};

} // namespace hocket

#endif
