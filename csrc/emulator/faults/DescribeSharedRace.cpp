//===- DescribeSharedRace.cpp - Writes the message for a race in shared memory --------------------===//
//
//   kernels/gemm.py:21:13: error: read of `a_smem` races with a write by another warp
//     offset:  byte 128 of `a_smem`
//     at:      block (0, 0, 0), warp 2, lane 5
//     other:   write in line 14, warp 0, lane 9
//     hint:    put gl.barrier() between the two accesses
//
//===------------------------------------------------------------------------------===//
#include "emulator/faults/DescribeSharedRace.h"

#include "emulator/faults/DescribeAccess.h"

namespace hocket::emulator {

using host_abi::SiteKind;

/// Returns a noun such as "a read", which the message continues with "of `a_smem`".
static std::string nounOf(SiteKind kind) {
  switch (kind) {
  case SiteKind::SharedRead:
    return "a read";
  case SiteKind::SharedAtomic:
    return "an atomic access";
  case SiteKind::SharedCopy:
    return "an asynchronous copy";
  case SiteKind::TensorLoad:
    return "a bulk load";
  case SiteKind::TensorStore:
    return "a bulk store";
  case SiteKind::RemoteStore:
    return "an asynchronous store";
  case SiteKind::MbarrierSet:
    return "an initialization or invalidation";
  case SiteKind::MbarrierUse:
    return "an arrival or a wait";
  case SiteKind::SharedOperand:
    return "a read by a wgmma";
  default:
    return "a write";
  }
}

static std::string withoutArticle(const std::string &noun) { return noun.substr(noun.find(' ') + 1); }

static const char *prepositionOf(SiteKind kind) {
  switch (kind) {
  case SiteKind::SharedRead:
  case SiteKind::TensorStore:
  case SiteKind::SharedOperand:
  case SiteKind::MbarrierSet:
    return " of ";
  case SiteKind::MbarrierUse:
    return " at ";
  default:
    return " to ";
  }
}

/// Returns the hint for a race. The hint to add a barrier would be wrong in two cases: the user cannot insert barriers
/// between the stages of a warp pipeline, and a barrier in a partition does not wait for other partitions.
static std::string hintFor(const Program &program, const Site &earlier, uint32_t earlierWarp, const Site &later,
                           uint32_t laterWarp) {
  if (workerOf(program.workers, earlierWarp) != workerOf(program.workers, laterWarp))
    return "a barrier waits for the warps of its own partition only: put an mbarrier or a named barrier "
           "between the two accesses, or end warp_specialize between them";
  if (earlier.stage.empty() || later.stage.empty())
    return "put gl.barrier() between the two accesses";
  return "the two groups of warps execute different stages at the same time: put one more stage between the two "
         "accesses, or let them use different buffers of a ring";
}

void describeSharedRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  const Program &program = launch.program;
  const Conflict &conflict = *fault.conflict;
  const Site &later = program.sites[fault.site], &earlier = program.sites[conflict.site];
  Diagnostic &diagnostic = failure.diagnostic;
  failure.array = "shared memory";
  failure.index = int64_t(fault.address);
  std::string access =
      withoutArticle(nounOf(later.kind)) + prepositionOf(later.kind) + nameOf(program.buffers, fault.address);
  std::string earlierLine = lineOf(earlier.diagnostic, diagnostic);
  if (conflict.isHidden) {
    diagnostic.message =
        access + " without a proxy fence after the " + withoutArticle(nounOf(earlier.kind)) + " of " + earlierLine +
        (later.kind == SiteKind::TensorLoad ? ", which may take effect after it" : ", which it may not see");
    diagnostic.hint = earlier.kind == SiteKind::RemoteStore
                          ? "put hopper.fence_async_shared() after the wait at its mbarrier"
                          : "put hopper.fence_async_shared() after the write, before the barrier";
  } else if (conflict.inFlight && earlier.kind == SiteKind::SharedOperand) {
    diagnostic.message = access + " while the wgmma of " + earlierLine + " may still read it";
    bool isElsewhere = workerOf(program.workers, conflict.warp) != workerOf(program.workers, uint32_t(failure.warp));
    diagnostic.hint =
        isElsewhere
            ? "wait at an mbarrier before the memory is used again: mbarrier.wait(empty, phase), where the "
              "consumer arrives after its warpgroup_mma_wait; and let the consumer wait for the load before its "
              "MMA: mbarrier.wait(full, phase)"
            : "wait for the wgmma first: acc = warpgroup_mma_wait(n, deps=[acc]) leaves the n newest "
              "wgmmas in flight";
  } else if (conflict.inFlight && earlier.kind == SiteKind::TensorStore) {
    diagnostic.message = access + " while the bulk store of " + earlierLine + " still reads it";
    diagnostic.hint = "wait for the store first: tma.store_wait(n) leaves the n newest stores in flight";
  } else if (conflict.inFlight && (earlier.kind == SiteKind::TensorLoad || earlier.kind == SiteKind::RemoteStore)) {
    diagnostic.message = access + " while the " + withoutArticle(nounOf(earlier.kind)) + " of " + earlierLine +
                         " into it is still in flight";
    diagnostic.hint = hintForCopy();
  } else if (conflict.inFlight) {
    diagnostic.message = access + " while the asynchronous copy of " + earlierLine + " into it is still in flight";
    diagnostic.hint =
        llvm::any_of(program.sites, [](const Site &site) { return site.kind == SiteKind::MbarrierUse; })
            ? "wait for the copy: at the mbarrier at which it arrives, or commit it to a group and wait for the group"
            : "commit the copy to a group, and wait for it: wait_group(n) leaves the n newest groups in flight";
  } else {
    diagnostic.message = access + " races with " + nounOf(earlier.kind) + " by another warp";
    diagnostic.hint = hintFor(program, earlier, conflict.warp, later, uint32_t(failure.warp));
  }
  std::string other =
      format("{0} in {1}, {2}", withoutArticle(nounOf(earlier.kind)), earlierLine, warpName(program, conflict.warp));
  if (conflict.lane)
    other += format(", lane {0}", *conflict.lane);
  other += stageOf(earlier);
  diagnostic.notes = {
      {"offset", describeOffset(program, fault.address)}, {"at", placeOf(launch, failure, later)}, {"other", other}};
}

} // namespace hocket::emulator
