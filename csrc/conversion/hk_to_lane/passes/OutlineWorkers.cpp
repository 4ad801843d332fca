//===- OutlineWorkers.cpp - Outlines each partition of warps into a function -----------===//
//
// Lowerings use properties of the function that contains an operation: the number of warps, the index of a thread among
// these warps, and the warps for which a barrier waits. Therefore each partition becomes a separate function, and
// JoinPartitions merges these functions into one kernel after they have been lowered.
//
// Input:   hk with structured control flow, after shared memory has been allocated and the vector widths of global
//          memory accesses have been chosen (ChooseAccesses.h).
// Output:  lane.start_workers and lane.join_workers around the inlined body of hk.warp_specialize, and a private
//          function with hk.partition for each worker. The kernel also has hk.partition, for the warps of the default
//          partition. Module attributes hold the number of additional warps in a block (hk.worker_warps) and, with
//          register budgets, the number of registers that lanes have at the start (hk.maxnreg).
// Method:  dialect/hk/facts/PartitionPlan.h assigns warps to partitions. Consecutive hk.warp_specialize of a kernel use
//          the same warps.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_OUTLINEWORKERS
#include "conversion/hk_to_lane/passes/Passes.h.inc"

namespace {
/// One hk.warp_specialize, and the warps of its partitions.
struct Start {
  hk::WarpSpecializeOp op;
  SmallVector<hk::WorkerNeeds> needs;
  hk::WorkerWarps workerWarps;
};
} // namespace

static bool hasBudgets(const Start &start) {
  return llvm::any_of(start.needs, [](const hk::WorkerNeeds &needs) { return needs.numRegisters > 0; });
}

static FailureOr<Start> planStart(hk::WarpSpecializeOp op, int launchWarps, const TargetInfo &target) {
  if (target.namedBarriers == 1)
    return op->emitError() << "the partitions of warp_specialize need barriers of their own, but on "
                           << StringRef(target.name) << " all warps of a block share one";
  if (!op.getOffset())
    return op->emitError("has no offset; run hocket-allocate-memory before hocket-outline-workers");
  Start start{op, {}, {}};
  const bool movesRegisters = target.movableRegisters > 0;
  for (hk::WorkerOp worker : op.getWorkerOps())
    start.needs.push_back({int(worker.getNumWarps()), movesRegisters ? int(worker.getNumRegs().value_or(0)) : 0});
  if (int most = target.namedBarriers - hk::kFirstWorkerBarrier; int(start.needs.size()) > most)
    return op->emitError() << "warp_specialize has " << start.needs.size() << " workers, but a block on "
                           << StringRef(target.name) << " has barriers for " << most;
  start.workerWarps = hk::assignWorkerWarps(launchWarps, start.needs);
  if (start.workerWarps.blockWarps > target.maxWarps()) {
    InFlightDiagnostic error = op->emitError()
                               << "the launch's warps and those of workers are " << start.workerWarps.blockWarps
                               << ", but a block on " << StringRef(target.name) << " has at most " << target.maxWarps();
    error.attachNote() << "hint: give workers fewer warps, or launch with a smaller num_warps than " << launchWarps;
    return error;
  }
  if (hasBudgets(start) && launchWarps % kWarpsPerWarpgroup) {
    InFlightDiagnostic error = op->emitError() << "register budgets are for warpgroups of 4 warps, but the launch has "
                                                  "num_warps="
                                               << launchWarps;
    error.attachNote() << "hint: launch with num_warps=4, or leave out worker_num_regs";
    return error;
  }
  return start;
}

/// Moves the body of the worker into a new function, which is returned.
static func::FuncOp outline(hk::WorkerOp worker, func::FuncOp kernel, int firstWarp, int barrier, unsigned number) {
  OpBuilder builder(kernel->getContext());
  builder.setInsertionPointAfter(kernel);
  std::string name = (kernel.getName() + "." + worker.getName() + "." + Twine(number)).str();
  auto type = builder.getFunctionType(worker.getCaptures().getTypes(), {});
  auto function = func::FuncOp::create(builder, worker.getLoc(), name, type);
  function.setPrivate();
  hk::kPartitionAttr.setAttr(function,
                             hk::PartitionAttr::get(builder.getContext(), firstWarp, worker.getNumWarps(), barrier));
  function.getBody().takeBody(worker.getBody());
  Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc());
  end->erase();
  return function;
}

/// Records the names of the workers' warps, for reports.
static void recordWorkers(Start &start) {
  auto module = start.op->getParentOfType<ModuleOp>();
  SmallVector<hk::WorkerAttr, 4> workers = hk::kWorkersAttr.get(module);
  for (auto [worker, firstWarp] : llvm::zip_equal(start.op.getWorkerOps(), start.workerWarps.firstWarps)) {
    auto warps = hk::WorkerAttr::get(module.getContext(), worker.getName(), firstWarp, int32_t(worker.getNumWarps()));
    if (!llvm::is_contained(workers, warps))
      workers.push_back(warps);
  }
  hk::kWorkersAttr.set(module, workers);
}

static LogicalResult setRegisters(lane::StartWorkersOp op, const Start &start, int launchWarps, int blockWarps,
                                  int atMost) {
  const TargetInfo &target = hk::targetOf(op);
  hk::RegisterBudgets budgets = hk::planRegisters(launchWarps, start.needs, start.workerWarps, blockWarps,
                                                  target.warpSize, target.movableRegisters, atMost);
  if (budgets.ofLaunch < hk::kFewestRegisters) {
    InFlightDiagnostic error = op->emitError() << "the registers of workers leave " << budgets.ofLaunch
                                               << " registers per lane for the launch's own warps, which need at least "
                                               << hk::kFewestRegisters;
    error.attachNote() << "divided evenly, each lane of the " << blockWarps << " warps has " << budgets.atEntry
                       << " registers";
    error.attachNote() << "hint: give workers fewer registers, or fewer warps";
    return error;
  }
  SmallVector<int32_t> registers = {budgets.ofLaunch};
  llvm::append_range(registers, budgets.ofGroups);
  op.setEntryRegisters(budgets.atEntry);
  op.setRegisters(registers);
  return success();
}

static lane::StartWorkersOp outlineAll(const Start &start, func::FuncOp kernel, unsigned &number) {
  hk::WarpSpecializeOp op = start.op;
  OpBuilder builder(op);
  SmallVector<Attribute> names;
  SmallVector<Value> captures;
  SmallVector<int32_t> counts;
  for (auto [worker, firstWarp] : llvm::zip_equal(op.getWorkerOps(), start.workerWarps.firstWarps)) {
    int barrier = hk::kFirstWorkerBarrier + int(names.size());
    func::FuncOp function = outline(worker, kernel, firstWarp, barrier, number++);
    names.push_back(FlatSymbolRefAttr::get(function));
    llvm::append_range(captures, worker.getCaptures());
    counts.push_back(int32_t(worker.getCaptures().size()));
  }
  auto started = lane::StartWorkersOp::create(builder, op.getLoc(), builder.getArrayAttr(names), captures,
                                              builder.getDenseI32ArrayAttr(counts), op.getOffsetAttr(), IntegerAttr(),
                                              DenseI32ArrayAttr());
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  op->getBlock()->getOperations().splice(Block::iterator(op), body.getOperations(), body.begin(),
                                         Block::iterator(yield));
  lane::JoinWorkersOp::create(builder, op.getLoc());
  op->replaceAllUsesWith(yield->getOperands());
  op->erase();
  return started;
}

static LogicalResult outlineWorkers(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  const TargetInfo &target = hk::targetOf(module);
  const int launchWarps = hk::numWarpsAt(module);
  SmallVector<Start> starts;
  WalkResult planned = kernel.walk([&](hk::WarpSpecializeOp op) -> WalkResult {
    FailureOr<Start> start = planStart(op, launchWarps, target);
    if (failed(start))
      return WalkResult::interrupt();
    starts.push_back(std::move(*start));
    return WalkResult::advance();
  });
  if (planned.wasInterrupted() || starts.empty())
    return failure(planned.wasInterrupted());

  OpBuilder builder(module.getContext());
  int blockWarps = hk::blockWarpsOf(module);
  for (const Start &start : starts)
    blockWarps = std::max(blockWarps, start.workerWarps.blockWarps);
  hk::kPartitionAttr.setAttr(kernel, hk::PartitionAttr::get(builder.getContext(), 0, launchWarps, hk::kLaunchBarrier));

  std::optional<int64_t> limit = hk::kMaxRegistersAttr.get(module);
  if (llvm::any_of(starts, hasBudgets))
    blockWarps = int(llvm::alignTo(blockWarps, kWarpsPerWarpgroup));
  hk::kWorkerWarpsAttr.set(module, blockWarps - launchWarps);
  unsigned number = 0;
  for (Start &start : starts) {
    recordWorkers(start);
    lane::StartWorkersOp started = outlineAll(start, kernel, number);
    if (!hasBudgets(start))
      continue;
    int atMost = int(limit.value_or(std::numeric_limits<int>::max()));
    if (failed(setRegisters(started, start, launchWarps, blockWarps, atMost)))
      return failure();
    hk::kMaxRegistersAttr.set(module, *started.getEntryRegisters());
  }
  return success();
}

namespace {
struct OutlineWorkers : impl::OutlineWorkersBase<OutlineWorkers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto isStart = [](hk::WarpSpecializeOp) { return WalkResult::interrupt(); };
    if (!module.walk(isStart).wasInterrupted())
      return markAllAnalysesPreserved();
    if (failed(hk::requireFactsAndLayouts(module)))
      return signalPassFailure();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (failed(outlineWorkers(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
