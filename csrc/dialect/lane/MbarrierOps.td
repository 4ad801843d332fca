// Waits for mbarriers: NVVM has no single operation for such a wait.
#ifndef HOCKET_DIALECT_LANE_MBARRIEROPS_TD
#define HOCKET_DIALECT_LANE_MBARRIEROPS_TD

include "dialect/lane/LaneOpBase.td"

def Lane_MbarrierWaitOp : Lane_Op<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of an mbarrier with this parity is complete";
  let description = [{
    The operation waits while the current phase of the barrier has parity `parity` (0 or 1). When the current phase has
    the other parity, the preceding phase, which has parity `parity`, is complete. The wait has no time limit. Accesses
    before the arrivals of the completed phase, and the data of the copies whose bytes the phase counted, are visible
    after the wait.

    ```mlir
    lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Lane_SharedPtr:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
}

#endif
