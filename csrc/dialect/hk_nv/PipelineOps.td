// Barriers to which warp pipelines (dialect/hk/ir/StageOps.td) are lowered, with hk.barrier and hk.sched_barrier.
#ifndef HOCKET_DIALECT_HK_NV_PIPELINEOPS_TD
#define HOCKET_DIALECT_HK_NV_PIPELINEOPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

// Barrier 0 is __syncthreads, used by the launch's own warps.
def HkNv_NamedBarrier : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>;
def HkNv_WarpGroup : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<1>]>;

def HkNv_SlotBarrierOp : HkNv_Op<"slot_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Arrive at a named barrier, and wait for all warps of the pipeline to arrive there";
  let description = [{
    Warps 0 to 3 of those that run the operation are group 0, the low group, warps 4 to 7 group 1, the high group: two
    warpgroups, of which each of an SM's four partitions holds one warp. The barrier counts arrivals from anywhere in
    the program, so the groups may be at different slots. It orders accesses of shared and global memory among all
    participants. With `group` only the warps of that group arrive; the others arrive from their next slot.

    A named barrier is used by the pipelines of one partition only.

    C1: `barrier` is 1 to 15.
    C2: `group`, if there is one, is 0 or 1.
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk_nv.slot_barrier 2
    hk_nv.slot_barrier 2 group = 1
    ```
  }];
  let arguments = (ins HkNv_NamedBarrier:$barrier, OptionalAttr<HkNv_WarpGroup>:$group);
  let assemblyFormat = "$barrier (`group` `=` $group^)? attr-dict";
}

class HkNv_TurnOp<string mnemonic> : HkNv_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<14>]>:$barrier,
    OptionalAttr<HkNv_WarpGroup>:$group);
  let assemblyFormat = "$barrier (`group` `=` $group^)? attr-dict";
}

def HkNv_BeginTurnOp : HkNv_TurnOp<"begin_turn"> {
  let summary = "Wait until the other group of warps has left its exclusive section";
  let description = [{
    The two groups of `hk_nv.slot_barrier` alternate (ping-pong) in executing the section between this operation and
    `hk_nv.end_turn`. Accesses of the other group before its `end_turn` are visible afterwards, as are earlier accesses
    of the group's own warps. Named barrier `barrier` admits the low group, and the next one the high group. With
    `group` only the warps of that group wait.

    C1: `barrier` is 1 to 14.
    C2: `group`, if there is one, is 0 or 1.
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk_nv.begin_turn 2
    hk_nv.begin_turn 2 group = 0
    ```
  }];
}

def HkNv_EndTurnOp : HkNv_TurnOp<"end_turn"> {
  let summary = "Admit the other group of warps to the exclusive section";
  let description = [{
    Does not wait. With `group` only the warps of that group execute it.

    C1: `barrier` is 1 to 14.
    C2: `group`, if there is one, is 0 or 1.
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk_nv.end_turn 2
    hk_nv.end_turn 2 group = 1
    ```
  }];
}

#endif
