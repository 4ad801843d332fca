// Waiting at mbarriers: what NVVM cannot say in one operation.
#ifndef HOCKET_DIALECT_LANE_MBARRIEROPS_TD
#define HOCKET_DIALECT_LANE_MBARRIEROPS_TD

include "dialect/lane/LaneOpBase.td"

def Lane_MbarrierWaitOp : Lane_Op<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of an mbarrier with this parity is complete";
  let description = [{
    Returns once the current phase of the barrier is not the one with parity `parity` (0 or 1): that one, the one before,
    is complete. There is no time limit. What the threads that arrived in it had done before, and what the copies that
    it counted have brought, is visible after it.

    ```mlir
    lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Lane_SharedPtr:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
}

#endif
