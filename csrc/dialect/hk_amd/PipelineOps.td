// The barriers that warp pipelines become (dialect/hk/StageOps.td): cond_barrier, raw_barrier, set_priority, warp_group,
// with hk.barrier local and hk.sched_barrier.
#ifndef HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD
#define HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

// Nothing moves across it: the code on its two sides runs at different times.
class HkAmd_PipelineOp<string mnemonic> : HkAmd_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HkAmd_WarpGroupOp : HkAmd_Op<"warp_group", [Pure]> {
  let summary = "Return the group that this warp belongs to";
  let description = [{
    Warps 0 to 3 are group 0, the low one; warps 4 to 7 are group 1, the high one. The same in all lanes of a warp. Each
    of a compute unit's four SIMD units holds one warp of each group.

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
    `condition` is the same in all lanes of a warp. The warps for which it holds wait until all others have arrived at
    some barrier: barriers count arrivals, wherever they are. Waits for no access and orders none.

    ```mlir
    hk_amd.cond_barrier %is_high
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def HkAmd_RawBarrierOp : HkAmd_PipelineOp<"raw_barrier"> {
  let summary = "Wait for all warps of the block, but not for this warp's accesses of shared memory";
  let description = [{
    What other warps had waited for (`hk.barrier local`) when they arrived is visible after it; this warp's own accesses
    before it may still be in progress. No instruction is spent on accesses, unless `finish_reads` asks for one wait
    after the barrier for what this warp has read: for arithmetic that would otherwise wait for each read in turn.

    ```mlir
    hk_amd.raw_barrier
    hk_amd.raw_barrier finish_reads
    ```
  }];
  let arguments = (ins UnitAttr:$finish_reads);
  let assemblyFormat = "(`finish_reads` $finish_reads^)? attr-dict";
}

def HkAmd_SetPriorityOp : HkAmd_PipelineOp<"set_priority"> {
  let summary = "Say how eagerly this warp's instructions are to be issued";
  let description = [{
    Among the warps of a SIMD unit the one with the highest priority goes first. Affects timing only.

    C1: `priority` is 0, 1, 2 or 3.

    ```mlir
    hk_amd.set_priority 2
    ```
  }];
  let arguments = (ins HK_StagePriority:$priority);
  let assemblyFormat = "$priority attr-dict";
}

def HkAmd_SchedGroupBarrierOp : HkAmd_PipelineOp<"sched_group_barrier"> {
  let summary = "Ask the scheduler for a group of instructions at this point of a sequence";
  let description = [{
    Several of them with one `sync` say in which order the back end's scheduler should place the instructions around
    them: `size` of the kinds that `kinds` names (the bits of `hk.sched_barrier`), then those of the next. Affects timing
    only.

    C1: `kinds` has no other bits.

    ```mlir
    hk_amd.sched_group_barrier 8, 4, 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<0xfff>]>:$kinds, I32Attr:$size,
                       I32Attr:$sync);
  let assemblyFormat = "$kinds `,` $size `,` $sync attr-dict";
}

#endif
