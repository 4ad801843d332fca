//===- InsertTiming.cpp - Inserts calls of the virtual clock before operations that take time -===//
//
// Input:   a kernel in lane form.
// Output:  the kernel with a call of `timed` before each operation that takes time, and the table of events.
// Method:  the clocks of arithmetic are summed up to the next operation that takes time or can wait. One call before
//          this operation passes the sum. The call for an operation lists the used results for which the basic block
//          has not waited before. Common subexpressions are removed first, because a GPU would not compute them twice.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/ops/ClockReads.h"
#include "conversion/lane_to_host/ops/VectorArithmetic.h"
#include "conversion/lane_to_host/steps/PendingResults.h"
#include "conversion/lane_to_host/steps/TimedOperations.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace hocket {

namespace {

class Timing {
public:
  Timing(HostFunction &host)
      : host(host), target(host.block.target), arithmetic(host.function(), target),
        pending(host.function(), [&](Operation *op) {
          auto event = timedEventOf(op, host.block.target);
          return !lane::kUntimedAttr.isOn(op) && event && event->busy > 0 && event->kind != TimedKind::Copy &&
                 event->kind != TimedKind::Wgmma && event->kind != TimedKind::Bulk;
        }) {}

  void run() {
    for (Block &block : host.function().getBody())
      runOnBlock(block);
    host.module()->setAttr(host_abi::kEventsAttr, host.builder.getArrayAttr(table));
  }

private:
  void runOnBlock(Block &block) {
    awaited.clear();
    for (Operation &op : llvm::make_early_inc_range(block))
      time(&op);
  }

  void time(Operation *op) {
    const bool isUntimed = lane::kUntimedAttr.isOn(op);
    if (isClockRead(op) || (isUntimed && op->hasTrait<OpTrait::IsTerminator>()))
      callArithmetic(op);
    if (isUntimed)
      return;
    std::optional<TimedEvent> event = timedEventOf(op, target);
    int clocks = event ? 0 : arithmetic.clocksOf(op);
    std::vector<uint32_t> uses = takeUses(op, event && event->kind == TimedKind::Matrix);
    if (event || !uses.empty() || op->hasTrait<OpTrait::IsTerminator>())
      callArithmetic(op);
    if (event) {
      event->result = pending.numberOf(op);
      call(op, *event, std::move(uses), op->getLoc());
      if (event->result >= 0)
        awaited.erase(uint32_t(event->result));
    } else if (!uses.empty()) {
      call(op, {.kind = TimedKind::Use}, std::move(uses), op->getLoc());
    }
    if (clocks) {
      if (!addedUp)
        place = op->getLoc();
      addedUp += uint32_t(clocks);
    }
  }

  /// Returns the numbers of the results for which `op` must wait. A matrix instruction does not wait for its
  /// accumulators if another matrix instruction computes the accumulators.
  std::vector<uint32_t> takeUses(Operation *op, bool isMatrix) {
    std::vector<uint32_t> uses;
    if (movesOnly(op) || op->hasTrait<OpTrait::IsTerminator>())
      return uses;
    for (OpOperand &operand : op->getOpOperands())
      for (uint32_t number : pending.of(operand.get())) {
        bool isSum = isMatrix && operand.getOperandNumber() == 2;
        if (isSum && timedEventOf(pending[number], target)->kind == TimedKind::Matrix)
          continue;
        if (awaited.insert(number).second)
          uses.push_back(number);
      }
    return uses;
  }

  void callArithmetic(Operation *before) {
    if (!addedUp)
      return;
    call(before, {.kind = TimedKind::Arithmetic, .unit = TimedUnit::Vector, .issue = addedUp, .busy = addedUp}, {},
         *place);
    addedUp = 0;
  }

  void call(Operation *before, TimedEvent event, std::vector<uint32_t> uses, Location loc) {
    host.at(before);
    calls::timed(host, table.size());
    event.uses = std::move(uses);
    table.push_back(encodeEvent(event, loc));
  }

  HostFunction &host;
  const TargetInfo &target;
  VectorArithmetic arithmetic;
  PendingResults pending;
  SmallVector<Attribute> table;
  llvm::DenseSet<uint32_t> awaited; ///< results for which this basic block has waited
  uint32_t addedUp = 0;             ///< clocks of arithmetic for which no call has been inserted
  std::optional<Location> place;    ///< location of the first operation that is part of `addedUp`
};

} // namespace

void removeCommonSubexpressions(LLVM::LLVMFuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

void insertTiming(HostFunction &host) { Timing(host).run(); }

} // namespace hocket
