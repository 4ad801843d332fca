//===- ExchangeDivider.h - Divides exchanges between warps over the stages of a warp pipeline -===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_EXCHANGEDIVIDER_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_EXCHANGEDIVIDER_H

#include "transforms/warp_pipeline/ExchangeHalves.h"
#include "transforms/warp_pipeline/WarpPipelineDraft.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

class ExchangeDivider {
public:
  /// `draft` must be a pipeline of two groups with more stages than its lag.
  explicit ExchangeDivider(PipelineDraft &draft);

  /// Divides the exchange `op` of stage `stage`. Reports an error if the first use of a result is in a stage that is
  /// too early. An operation without uses is unchanged.
  mlir::LogicalResult divide(mlir::Operation *op, unsigned stage);

private:
  /// A use of a result of the exchange, or of a view of a result.
  struct Use {
    /// The user, or the operation of the pipeline's block that contains the user; null if there is no use.
    mlir::Operation *at = nullptr;
    mlir::Operation *user = nullptr;
  };
  struct Uses {
    Use first;
    /// Views of the results, and scalar arithmetic, in program order.
    llvm::SmallVector<mlir::Operation *> views;
    /// Operands of the loop's scf.yield that are results or views.
    llvm::SmallVector<mlir::OpOperand *> yields;
  };
  Uses findUses(mlir::Operation *op) const;
  Use firstUseOf(mlir::Value variable) const;
  unsigned stageOf(mlir::Operation *at) const;

  bool isFarEnough(unsigned from, int64_t distance, Exchange warps) const;
  int64_t countSlots(unsigned written, int64_t distance, Exchange warps) const;
  mlir::Value counterOf(int64_t slots);
  mlir::Value previousOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value counter, int64_t slots) const;
  mlir::OpBuilder beforePipeline() const;
  mlir::OpBuilder atStart(unsigned stage) const;

  std::optional<unsigned> carryIndices(const ExchangeHalves &halves);
  void readInIteration(mlir::Operation *op, ExchangeHalves &halves, const Uses &uses, unsigned written, unsigned read);
  mlir::LogicalResult readInNextIteration(mlir::Operation *op, ExchangeHalves &halves, const Uses &uses,
                                          unsigned written);
  mlir::LogicalResult reportTooEarly(mlir::Operation *op, unsigned written, Exchange warps, mlir::Operation *user,
                                     int64_t distance) const;
  std::string hintFor(mlir::Operation *op, unsigned written, int64_t distance, int64_t needed) const;

  unsigned numStages() const { return unsigned(draft.stages.size()); }
  std::string labelOf(unsigned stage) const;

  PipelineDraft &draft;
  std::vector<bool> exclusive;
  llvm::DenseMap<mlir::Operation *, unsigned> stages;
  /// Maps a number of slots to the index of the loop-carried variable that holds the slot index of the current
  /// iteration.
  llvm::SmallDenseMap<int64_t, unsigned> counters;
};

} // namespace hocket

#endif
