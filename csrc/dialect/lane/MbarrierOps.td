// Waits for mbarriers, which NVVM cannot express in one operation.
#ifndef HOCKET_DIALECT_LANE_MBARRIEROPS_TD
#define HOCKET_DIALECT_LANE_MBARRIEROPS_TD

include "dialect/lane/LaneOpBase.td"

def Lane_MbarrierWaitOp : Lane_Op<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of an mbarrier with this parity is complete";
  let description = [{
    Returns once the current phase of the barrier does not have parity `parity` (0 or 1): the preceding phase, which
    has it, is then complete. There is no time limit. Accesses before the arrivals of that phase, and the data of
    copies that it counted, are visible after the wait.

    ```mlir
    lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Lane_SharedPtr:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
}

#endif
