//===- OncePerElement.h - Atomics act once for each element --------------------------===//
//
// Every element is combined with memory once, by the first of the lanes that hold it, under the predicate "mask and
// first". If the old values are used, they then travel to the other holders:
//
//   copies on lanes of the warp     a shuffle from the lane whose free bits are 0
//   copies on other warps           through scratch memory (hk.offset), one element after the other; with a barrier
//
// An atomic on a scalar stands for the whole block (a lock, the counter of finished blocks): if it releases, what all
// warps did before it must be visible, so a barrier precedes it. One on a tensor orders each lane's accesses only.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_ONCEPERELEMENT_H
#define HOCKET_CONVERSION_HK_TO_LLVM_ONCEPERELEMENT_H

#include "conversion/hk_to_llvm/LoweringContext.h"
#include "dialect/hk/HkDialect.h"
#include "layout/VectorAccess.h"

namespace hocket {

/// Row-major element index as a function of register, lane and warp.
LinearLayout elementIndex(const LinearLayout &layout);

class OncePerElement {
public:
  /// `plan` says which registers act together; its groups hold each element of a lane once. Blocks of a cluster whose
  /// numbers differ in `actingBlocks` act each for itself, on memory of their own.
  OncePerElement(LoweringContext &lowering, mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::Type type, VectorAccess plan, int32_t actingBlocks = 0);

  /// Whether the results can reach all who need them; emits an error if not.
  mlir::LogicalResult check() const;

  /// Calls `emit` for each group this lane may act on, under the predicate `pred` (null: always); it puts the old
  /// values into `results`, by register. Returns the old values in all registers.
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
  /// The registers that act: those of the groups.
  llvm::SmallVector<int32_t> acting;
};

} // namespace hocket

#endif
