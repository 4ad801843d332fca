//===- EarlyRefills.cpp - Finds tiles that are refilled before their readers have arrived ---===//
//
// A partition that fills tiles in a loop must wait until other partitions have read a tile before it fills the tile
// again. The wait is certainly missing if no operation in the loop can synchronize partitions:
//
//     worker "load"                              worker "multiply"
//       for k {                                    for k {
//                                                    wait %full[k % 2]
//         load %ring[k % 2], %full[k % 2]            read %ring[k % 2]
//       }                                            arrive %empty[k % 2]      nothing waits for %empty
//                                                  }
//
// A loop fills no slot twice if its trip count is at most the number of slots. An error therefore also requires that
// the trip count is certainly larger than the number of slots, or that the readers arrive at an mbarrier for which no
// operation of the function waits.
//
//===------------------------------------------------------------------------------===//
#include "transforms/check_phases/EarlyRefills.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

/// Finds an arrival after `refill.read`, in a basic block around the read, at an mbarrier for which no operation waits.
static void findArrival(EarlyRefill &refill, const PhaseAccesses &accesses) {
  for (Operation *op = refill.read; !isa<func::FuncOp, hk::WorkerOp, hk::WarpSpecializeOp>(op); op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
      auto arrival = dyn_cast<hk::SharedBarrierUse>(next);
      if (!arrival || !arrival.signalsAll())
        continue;
      for (const MemoryUse &use : accesses.getAliases().usesOf(next))
        if (accesses.isNeverAwaited(use.handle)) {
          refill.arrival = next;
          refill.barrier = use.handle;
          return;
        }
    }
}

static bool mayTakeLonger(scf::ForOp loop, int64_t iterations) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return !trips || trips->sgt(iterations);
}

static std::optional<EarlyRefill> findRefillOf(const PhaseAccesses &accesses, const PhaseAccesses::Start &start) {
  auto partitions = start.op->getParentOfType<hk::WarpSpecializeOp>();
  auto loop = start.op->getParentOfType<scf::ForOp>();
  if (!partitions || !loop || !partitions->isProperAncestor(loop) || !start.isCertain ||
      start.op->getParentOp() != loop)
    return std::nullopt;
  std::optional<int64_t> iterations = accesses.iterationsUntilRefill(start);
  auto synchronizes = [&](Operation *op) { return WalkResult(failure(accesses.maySynchronize(op))); };
  if (!iterations || !mayTakeLonger(loop, *iterations) || loop.getBody()->walk(synchronizes).wasInterrupted())
    return std::nullopt;
  for (const PhaseAccesses::Access &read : accesses.reads()) {
    bool isElsewhere = PhaseAccesses::partitionOf(read.op) != PhaseAccesses::partitionOf(start.op);
    if (!isElsewhere || !partitions->isProperAncestor(read.op) ||
        !PhaseAccesses::mayOverlap(start.regions, read.use.regions))
      continue;
    EarlyRefill refill{&start, read.op};
    findArrival(refill, accesses);
    if (loop.getStaticTripCount() || refill.arrival)
      return refill;
  }
  return std::nullopt;
}

std::optional<EarlyRefill> findEarlyRefill(const PhaseAccesses &accesses) {
  for (const PhaseAccesses::Start &start : accesses.starts())
    if (std::optional<EarlyRefill> refill = findRefillOf(accesses, start))
      return refill;
  return std::nullopt;
}

} // namespace hocket
