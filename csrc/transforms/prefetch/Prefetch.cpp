//===- Prefetch.cpp - Software-pipelines loops that load tiles -------------------------===//
//
// A loop that copies tiles from global to shared memory waits for each load before it computes with the tile. This pass
// overlaps iterations: loads of a later iteration are in flight while the current iteration computes.
//
//     for i {                               if trips >= 1 {
//       %x = load(i)                          %x = load(0);  local_store %x, %tile
//       local_store %x, %tile                 for i in 0 ... trips - 1 {
//       %a = local_load %tile       =>          %x = load(i+1)
//       %d = dot_fma %a, ...                    %a = local_load %tile;  %d = dot_fma %a, ...
//     }                                         hk.sched_barrier
//                                               local_store %x, %tile
//                                             }
//                                             %a = local_load %tile;  %d = dot_fma %a, ...
//                                           }
//
// Without the scheduling barrier, the back end might hoist the store into the computation, which would then wait for
// the load.
//
// Input:   hk with hk.num_stages, at least 2, on scf.for, or on the module for all loops that copy tiles.
// Output:  an equivalent program without hk.num_stages. If a loop with the attribute cannot be pipelined, the pass
//          emits a warning with the reason.
// Method:  0. Flatten a loop with hk.num_stages around a loop that copies, if the outer loop copies nothing
//             (FlattenedNest.h). Separate copies in branches from the rest of the branches (BranchCopies.h).
//          1. Plan: split the body into stages (PipelinePlan.h), or find the reason why that is impossible.
//          2. Turn buffers into ring buffers (BufferSlots.h). Asynchronous copies need one slot for each stage.
//             Copies through registers get two slots if the second slot saves a barrier and does not lower the
//             occupancy.
//          3. Plan again if buffers have changed, and build the loop (PipelinedLoop.h).
// Not done: copies of an inner loop across iterations of an outer loop that copies, too, or that accesses memory before
//           the inner loop; a second slot for buffers that a branch fills through registers; prefetching loads whose
//           values are not stored to shared memory; choosing loops.
// Cost:    code size: one copy of the body for each stage after the first, and for more than 2 stages a copy of the
//          original loop. Registers: one tile for each iteration by which a load is ahead. Shared memory: the
//          additional slots.
//
// The pass does not depend on vendors: it recognizes reads and copies by effects and interfaces. A test checks that the
// library of the pass links without the dialects of vendors.
#include "dialect/hk/facts/Facts.h"
#include "transforms/prefetch/BranchCopies.h"
#include "transforms/prefetch/BufferSlots.h"
#include "transforms/prefetch/FlattenedNest.h"
#include "transforms/prefetch/PipelinedLoop.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PREFETCH
#include "transforms/Passes.h.inc"

using namespace prefetch;

/// Number of blocks that must still fit into the shared memory of an SM if copies through registers use two slots. A
/// lower occupancy would cost more than the barrier per iteration that the second slot saves.
static constexpr int64_t kBlocksPerMultiprocessor = 2;

namespace {
/// The buffers of step 2 and the number of slots that each of them gets. `buffers` is empty if no buffer needs slots.
struct Slots {
  Buffers buffers = {};
  int64_t count = 1;
};
} // namespace

/// Decides which buffers become ring buffers, because copies need them or because they save a barrier.
static std::variant<Slots, Refusal> chooseSlots(const PipelinePlan &plan, bool allowsDoubleBuffers) {
  if (!plan.isAsync && !allowsDoubleBuffers)
    return Slots();
  auto found = findOwnBuffers(plan);
  auto *buffers = std::get_if<Buffers>(&found);
  int64_t numSlots = plan.depth() + 1;
  if (!plan.isAsync) {
    numSlots = 2;
    bool isRing = buffers && llvm::any_of(*buffers, [](hk::LocalAllocOp b) { return b.getType().getSlotRank() > 0; });
    auto isCostly = [](const SpaceBytes &in) { return in.bytes > in.capacity / kBlocksPerMultiprocessor; };
    if (!buffers || isRing || llvm::any_of(bytesWithSlots(*buffers, numSlots), isCostly))
      return Slots();
  } else if (!buffers) {
    return std::get<Refusal>(found);
  } else {
    for (const SpaceBytes &in : bytesWithSlots(*buffers, numSlots))
      if (in.bytes > in.capacity)
        return Refusal{nullptr,
                       "rings of " + std::to_string(numSlots) + " buffers would take " + std::to_string(in.bytes) +
                           " bytes of " + in.space.getName().str() + ", but a block has " + std::to_string(in.capacity),
                       "use fewer stages or smaller tiles"};
  }
  return Slots{*buffers, numSlots};
}

/// If copies in branches of `loop` have been separated, replaces `loop` by `original`. Returns the loop.
static scf::ForOp restore(scf::ForOp loop, scf::ForOp original) {
  if (!original)
    return loop;
  OpBuilder(loop).insert(original);
  loop->replaceAllUsesWith(original);
  loop->erase();
  return original;
}

/// Prefetches `loop`, and calls `accept` before changing any buffer. If prefetching is impossible, calls `refuse` with
/// the reason, and leaves the loop unchanged.
static bool tryPrefetch(scf::ForOp loop, int64_t numStages, bool allowsDoubleBuffers, bool keepsStagesApart,
                        llvm::function_ref<void(scf::ForOp, const Refusal &)> refuse,
                        llvm::function_ref<void()> accept) {
  scf::ForOp original = separateBranchCopies(loop);
  auto plan = planPipeline(loop, numStages);
  auto chosen = std::holds_alternative<Refusal>(plan) ? std::variant<Slots, Refusal>(std::get<Refusal>(plan))
                                                      : chooseSlots(std::get<PipelinePlan>(plan), allowsDoubleBuffers);
  if (auto *why = std::get_if<Refusal>(&chosen)) {
    refuse(loop, *why);
    hk::kNumStagesAttr.remove(restore(loop, original));
    return false;
  }
  if (original)
    original->destroy();
  accept();
  auto &slots = std::get<Slots>(chosen);
  if (!slots.buffers.empty())
    plan = planPipeline(giveSlots(loop, slots.buffers, slots.count), numStages);
  emitPipeline(std::get<PipelinePlan>(plan), keepsStagesApart);
  return true;
}

/// Reports why `loop` is not prefetched. A loop that copies nothing gets no warning if `num_stages` is set for the whole
/// kernel.
static void reportUnlessUnasked(scf::ForOp loop, const Refusal &why) {
  if (hk::kNumStagesAttr.isOn(loop) || !why.copiesNothing)
    warnNotPrefetched(loop, why);
}

/// Loops with the number of their stages.
using Wanted = SmallVector<std::pair<scf::ForOp, int64_t>>;

namespace {
struct PrefetchPass : impl::PrefetchBase<PrefetchPass> {
  using PrefetchBase::PrefetchBase;

  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    std::optional<int64_t> forAll = hk::kNumStagesAttr.get(getOperation());
    bool isMarked = forAll.has_value();
    // Inner loops are pipelined first, so that copies of an outer loop's body contain pipelined inner loops.
    Wanted wanted;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<int64_t> own = hk::kNumStagesAttr.get(loop);
      isMarked |= own.has_value();
      if (int64_t numStages = own.value_or(forAll.value_or(1)); numStages > 1)
        wanted.push_back({loop, numStages});
      else if (own)
        hk::kNumStagesAttr.remove(loop);
    });
    if (!isMarked)
      return markAllAnalysesPreserved();
    llvm::SmallDenseMap<Operation *, std::string> notFlattened;
    bool changed = prefetchNests(wanted, notFlattened);
    auto refuse = [&](scf::ForOp loop, Refusal why) {
      if (auto found = notFlattened.find(loop); why.onlyInnerLoopCopies && found != notFlattened.end())
        why.reason += ", and the two loops cannot become one: " + found->second;
      reportUnlessUnasked(loop, why);
    };
    for (auto [loop, numStages] : wanted)
      changed |= tryPrefetch(loop, numStages, doubleBuffer, schedBarrier, refuse, [] {});
    hk::kNumStagesAttr.remove(getOperation());
    if (changed)
      cleanUp();
  }

  /// Flattens and prefetches the nests of `wanted`: outer loops with `num_stages` of their own, whose inner loops copy.
  /// Removes their loops from `wanted`. Adds the reasons why other nests are not flattened to `notFlattened`.
  bool prefetchNests(Wanted &wanted, llvm::SmallDenseMap<Operation *, std::string> &notFlattened) {
    bool changed = false;
    for (auto [outer, numStages] : Wanted(wanted)) {
      if (!hk::kNumStagesAttr.isOn(outer))
        continue;
      std::string reason = whyNotFlattened(outer).str();
      if (!reason.empty()) {
        notFlattened[outer] = reason;
        continue;
      }
      scf::ForOp inner = innerLoopOf(outer);
      int64_t innerStages = hk::kNumStagesAttr.get(inner).value_or(numStages);
      if (innerStages < 2) {
        notFlattened[outer] = "the inner loop has num_stages=1";
        continue;
      }
      FlattenedNest nest(outer);
      auto keepReason = [&](scf::ForOp, const Refusal &why) { reason = why.reason; };
      auto eraseNest = [&] {
        llvm::erase_if(wanted, [&](const auto &one) { return outer->isAncestor(one.first); });
        nest.keep();
      };
      if (!tryPrefetch(nest.getLoop(), innerStages, doubleBuffer, schedBarrier, keepReason, eraseNest)) {
        nest.undo();
        notFlattened[outer] = reason;
        continue;
      }
      changed = true;
    }
    return changed;
  }

  /// Merges computations that occur in several stages.
  void cleanUp() {
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace hocket
