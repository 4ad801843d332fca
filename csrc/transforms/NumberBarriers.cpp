//===- NumberBarriers.cpp - Assigns hardware numbers to named barriers -------------------===//
//
// Input:   hk, in which the named barriers of a kernel are numbered from 0 on.
// Output:  hk, in which each use of a named barrier has a hardware number (analysis/NamedBarriers.h). Hardware numbers
//          are assigned consecutively. It is an error if
//
//   * the kernel has more named barriers than the hardware,
//   * one partition that uses the barrier has more warps than the barrier counts,
//   * one partition has exactly the counted number of warps, but only arrives and never waits,
//   * no set of partitions that use the barrier has exactly the counted number of warps, or
//   * no warp waits at the barrier.
//
// Method:  A phase of a barrier ends when the counted number of warps has arrived. In each phase, a set of the
//          partitions that use the barrier arrives, each partition once. The pass assumes that partitions of different
//          warp_specialize operations do not arrive in the same phase of a barrier. The emulator checks at run time
//          that such partitions do not arrive in the same phase.
//
//===------------------------------------------------------------------------------===//
#include "analysis/NamedBarriers.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_NUMBERBARRIERS
#include "transforms/Passes.h.inc"

static constexpr const char *kAllocationHint =
    "allocate it with the number of warps of all partitions that arrive at it in one phase";

/// Maps each partition (a worker, or null for the default partition) to its number of warps.
using Partitions = llvm::MapVector<Operation *, int>;

static std::string plural(int count) { return std::to_string(count) + (count == 1 ? " warp" : " warps"); }

static Operation *workerAround(Operation *op) { return op->getParentOfType<hk::WorkerOp>(); }

static std::string describe(Operation *partition) {
  auto worker = cast_or_null<hk::WorkerOp>(partition);
  return worker ? "worker `" + worker.getName().str() + "`" : "the launch";
}

static LogicalResult report(Operation *op, const Twine &message, const Twine &hint) {
  InFlightDiagnostic error = op->emitError() << message;
  error.attachNote() << "hint: " << hint;
  return failure();
}

static LogicalResult checkWarps(hk::NamedBarrierUse use) {
  int counted = static_cast<int>(use.getNumWarps()), numWarps = hk::numWarpsAt(use);
  std::string arriving = "the " + plural(numWarps) + " of " + describe(workerAround(use)) + " arrive here";
  if (numWarps > counted)
    return report(use, arriving + ", but the named barrier counts " + std::to_string(counted), kAllocationHint);
  if (numWarps == counted && !use.waits())
    return report(use, arriving + ", which are all warps that the named barrier counts: no warp could wait at it",
                  "include the waiting warps in the count: allocate it with more warps");
  return success();
}

/// True if a set of partitions that contains the partition of `use` has exactly the number of warps that the barrier
/// counts.
static bool canOpen(hk::NamedBarrierUse use, const Partitions &partitions) {
  unsigned counted = use.getNumWarps();
  llvm::BitVector sums(counted + 1);
  sums.set(hk::numWarpsAt(use));
  for (auto [partition, numWarps] : partitions)
    if (partition != workerAround(use))
      for (unsigned sum = counted; sum >= unsigned(numWarps); --sum)
        if (sums.test(sum - numWarps))
          sums.set(sum);
  return sums.test(counted);
}

static LogicalResult checkUses(ArrayRef<hk::NamedBarrierUse> uses) {
  Partitions partitions;
  for (hk::NamedBarrierUse use : uses) {
    if (failed(checkWarps(use)))
      return failure();
    partitions[workerAround(use)] = hk::numWarpsAt(use);
  }
  for (hk::NamedBarrierUse use : uses) {
    if (canOpen(use, partitions))
      continue;
    InFlightDiagnostic error = use->emitError()
                               << "the named barrier counts " << plural(use.getNumWarps())
                               << ", but no set of partitions that use it, this one included, has this number of warps";
    for (auto [partition, numWarps] : partitions)
      error.attachNote() << describe(partition) << ": " << plural(numWarps);
    error.attachNote() << "hint: " << kAllocationHint;
    return failure();
  }
  if (llvm::none_of(uses, [](hk::NamedBarrierUse use) { return use.waits(); }))
    return report(uses.front(), "no warp waits at the named barrier at which this arrives",
                  "let the dependent warps call named_barrier.arrive_and_wait, or remove this arrival");
  return success();
}

static LogicalResult numberBarriers(func::FuncOp function) {
  NamedBarriers barriers(function);
  int number = barriers.first();
  for (auto &[barrier, uses] : barriers.uses) {
    if (number >= barriers.total)
      return report(uses.front(), "no hardware barrier is left for this named barrier: " + barriers.describe(),
                    "allocate fewer, or use fewer workers");
    if (failed(checkUses(uses)))
      return failure();
    for (hk::NamedBarrierUse use : uses)
      use.setNumber(number);
    ++number;
  }
  return success();
}

namespace {
struct NumberBarriers : impl::NumberBarriersBase<NumberBarriers> {
  void runOnOperation() override {
    if (failed(hk::requireFacts(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(numberBarriers(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
