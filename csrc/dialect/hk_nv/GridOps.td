// Programmatic dependent launch (Hopper): a grid may overlap with the preceding grid of its stream.
#ifndef HOCKET_DIALECT_HK_NV_GRIDOPS_TD
#define HOCKET_DIALECT_HK_NV_GRIDOPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

/// Base class of the operations for programmatic dependent launch. The memory effects prevent global memory accesses
/// from moving across an operation.
class HkNv_GridOp<string mnemonic>
    : HkNv_Op<mnemonic, [MemoryEffects<[MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>]> {
  let assemblyFormat = "attr-dict";
}

def HkNv_WaitForGridsOp : HkNv_GridOp<"wait_for_grids"> {
  let summary = "Wait until all preceding grids with which this grid may overlap have ended";
  let description = [{
    After the operation, all writes of these grids are visible. In a launch without programmatic dependence, no
    preceding grid may overlap, so the operation does not wait.

    ```mlir
    hk_nv.wait_for_grids
    ```
  }];
}

def HkNv_LaunchDependentsOp : HkNv_GridOp<"launch_dependents"> {
  let summary = "Allow the next grid of the stream to begin once all blocks have executed this operation or have ended";
  let description = [{
    The next launch must use programmatic dependence. Writes of this grid, before or after the operation, are visible to
    threads of the next grid that have waited (`hk_nv.wait_for_grids`).

    ```mlir
    hk_nv.launch_dependents
    ```
  }];
}

#endif
