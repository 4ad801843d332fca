// Operations to which warp pipelines (dialect/hk/ir/StageOps.td) are lowered: cond_barrier, raw_barrier, set_priority,
// warp_group, with hk.barrier local and hk.sched_barrier.
#ifndef HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD
#define HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

// No operation moves across: the code before and after runs at different times.
class HkAmd_PipelineOp<string mnemonic> : HkAmd_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HkAmd_WarpGroupOp : HkAmd_Op<"warp_group", [Pure]> {
  let summary = "Return the group of a warp pipeline that this warp belongs to";
  let description = [{
    Warps 0 to 3 are group 0, the low group; warps 4 to 7 are group 1, the high group. The result is uniform in a warp.
    Each of a compute unit's four SIMDs holds one warp of each group.

    ```mlir
    %group = hk_amd.warp_group
    ```
  }];
  let results = (outs I32:$group);
  let assemblyFormat = "attr-dict";
}

def HkAmd_CondBarrierOp : HkAmd_PipelineOp<"cond_barrier"> {
  let summary = "Arrive at a barrier if a condition holds";
  let description = [{
    `condition` is uniform in a warp. Warps for which it holds wait until all other warps have arrived at some barrier:
    s_barrier counts arrivals from anywhere in the program. The operation waits for no memory access and orders none.

    ```mlir
    hk_amd.cond_barrier %is_high
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def HkAmd_RawBarrierOp : HkAmd_PipelineOp<"raw_barrier"> {
  let summary = "Wait for all warps of the block, but not for this warp's LDS accesses";
  let description = [{
    Accesses that other warps had waited for (`hk.barrier local`) when they arrived are visible after the barrier; this
    warp's own earlier accesses may still be in flight. The barrier has no s_waitcnt. With `finish_reads`, one wait for
    this warp's reads follows the barrier; it saves VALU instructions from waiting for each read separately.

    ```mlir
    hk_amd.raw_barrier
    hk_amd.raw_barrier finish_reads
    ```
  }];
  let arguments = (ins UnitAttr:$finish_reads);
  let assemblyFormat = "(`finish_reads` $finish_reads^)? attr-dict";
}

def HkAmd_SetPriorityOp : HkAmd_PipelineOp<"set_priority"> {
  let summary = "Set the issue priority of this warp (s_setprio)";
  let description = [{
    Among the warps of a SIMD, the one with the highest priority issues first. Affects timing only.

    C1: `priority` is 0, 1, 2 or 3.

    ```mlir
    hk_amd.set_priority 2
    ```
  }];
  let arguments = (ins HK_StagePriority:$priority);
  let assemblyFormat = "$priority attr-dict";
}

def HkAmd_SchedGroupBarrierOp : HkAmd_PipelineOp<"sched_group_barrier"> {
  let summary = "Request a group of instructions at this point of an instruction schedule";
  let description = [{
    Several of these operations with the same `sync` define the order in which the back end's scheduler should place
    the surrounding instructions: first `size` instructions of `kinds` (the bits of `hk.sched_barrier`), then those of
    the next operation. Affects timing only.

    C1: `kinds` is a sum of these bits.

    ```mlir
    hk_amd.sched_group_barrier 8, 4, 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<0xfff>]>:$kinds, I32Attr:$size,
                       I32Attr:$sync);
  let assemblyFormat = "$kinds `,` $size `,` $sync attr-dict";
}

#endif
