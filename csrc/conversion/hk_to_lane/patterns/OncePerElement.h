//===- OncePerElement.h - Executes atomics once for each element ---------------------===//
//
// If several lanes hold an element, the first of them executes the atomic, under the predicate "mask and first". The
// other lanes receive the old value if it is used:
//
//   copies in lanes of the warp     a shuffle from the first of these lanes
//   copies in other warps           a store to scratch memory by the first lane, a barrier, and loads by all lanes
//
// An atomic on a scalar is executed once for the whole block, e.g. for a lock or a counter of finished blocks. If the
// atomic has release semantics, a barrier precedes the atomic, so that the release covers earlier accesses of all
// warps. An atomic on a tensor orders only the accesses of each lane.
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
  /// A group of `plan` lists the registers that one instruction covers. Each element of a lane is in one group. CTAs of
  /// a cluster whose indices differ in the bits `actingBlocks` execute the operation independently, on their own
  /// memory.
  OncePerElement(LoweringContext &lowering, mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::Type type, VectorAccess plan, int32_t actingBlocks = 0);

  /// Checks that old values can be sent to all lanes that use old values; otherwise emits an error.
  mlir::LogicalResult check() const;

  /// Calls `emit` for each group of registers. `emit` must emit the operation under the predicate `pred`, and write the
  /// old values to `results`, indexed by register. A null `pred` means true. Returns the old values in all registers.
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
  /// The registers that the groups of the plan contain.
  llvm::SmallVector<int32_t> acting;
};

} // namespace hocket

#endif
