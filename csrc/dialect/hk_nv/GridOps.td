// Grids that overlap with others of their stream (programmatic dependent launches, Hopper).
#ifndef HOCKET_DIALECT_HK_NV_GRIDOPS_TD
#define HOCKET_DIALECT_HK_NV_GRIDOPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

/// No access of global memory moves over it.
class HkNv_GridOp<string mnemonic>
    : HkNv_Op<mnemonic, [MemoryEffects<[MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>]> {
  let assemblyFormat = "attr-dict";
}

def HkNv_WaitForGridsOp : HkNv_GridOp<"wait_for_grids"> {
  let summary = "Wait until the grids that this one may overlap with have ended";
  let description = [{
    All that they have written is visible then. In a launch that is not programmatic, there are none.

    ```mlir
    hk_nv.wait_for_grids
    ```
  }];
}

def HkNv_LaunchDependentsOp : HkNv_GridOp<"launch_dependents"> {
  let summary = "Let the next grid of the stream begin, once all blocks have come here or have ended";
  let description = [{
    It is the next launch that must be programmatic. What this grid writes, before or after, is visible there to who has
    waited (`hk_nv.wait_for_grids`).

    ```mlir
    hk_nv.launch_dependents
    ```
  }];
}

#endif
