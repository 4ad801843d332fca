// Barriers of warp pipelines (StageOps.td), to which hocket-warp-pipeline-lowering lowers stages, with hk.barrier and
// hk.sched_barrier.
//
// Warps 0 to 3 of those that run the operations are the low group, warps 4 to 7 the high group. Each SIMD of a compute
// unit or partition of an SM holds one warp of each group. A barrier counts arrivals from anywhere in the program, so
// the groups may be at different slots.
//
// On targets with named barriers (TargetInfo::namedBarriers), each operation has the `number` of the hardware barrier
// that it uses, which the pipelines of one partition share. Elsewhere all use the barrier of the block.
#ifndef HOCKET_DIALECT_HK_IR_PIPELINEBARRIEROPS_TD
#define HOCKET_DIALECT_HK_IR_PIPELINEBARRIEROPS_TD

include "dialect/hk/ir/HkOpBase.td"

// Barrier 0 is that of the launch's own warps.
def HK_SlotBarrierNumber : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>;

// No operation moves across: the code before and after runs at different times.
class HK_PipelineBarrierOp<string mnemonic> : HK_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HK_SlotBarrierOp : HK_PipelineBarrierOp<"slot_barrier"> {
  let summary = "Wait for all warps of a warp pipeline";
  let description = [{
    Where barriers order memory (`TargetInfo::barriersOrderMemory`), the operation orders all accesses of shared and
    global memory. Elsewhere, accesses that other warps had waited for when they arrived are visible after it, and
    earlier accesses of this warp may still be in flight. With `finish_reads`, one wait for this warp's reads of shared
    memory follows the barrier there; it saves VALU instructions from waiting for each read separately.

    C1: `number`, if there is one, is 1 to 15.
    C2: there is a number if and only if the target has named barriers. (Checked in the lowering.)
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.slot_barrier
    hk.slot_barrier finish_reads
    hk.slot_barrier number = 2
    ```
  }];
  let arguments = (ins UnitAttr:$finish_reads, OptionalAttr<HK_SlotBarrierNumber>:$number);
  let assemblyFormat = "(`finish_reads` $finish_reads^)? (`number` `=` $number^)? attr-dict";
}

def HK_GroupBarrierOp : HK_PipelineBarrierOp<"group_barrier"> {
  let summary = "Let one group of warps wait for the other one";
  let description = [{
    Only the warps of `group` arrive and wait. The other group arrives from its next slot.

    C1: `number`, if there is one, is 1 to 15.
    C2: there is a number if and only if the target has named barriers. (Checked in the lowering.)
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.group_barrier high
    hk.group_barrier low number = 2
    ```
  }];
  let arguments = (ins HK_WarpGroupAttr:$group, OptionalAttr<HK_SlotBarrierNumber>:$number);
  let assemblyFormat = "`` $group (`number` `=` $number^)? attr-dict";
}

class HK_ExclusiveOp<string mnemonic> : HK_PipelineBarrierOp<mnemonic> {
  let arguments = (ins OptionalAttr<HK_WarpGroupAttr>:$group,
    ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<14>]>:$number);
  let assemblyFormat = "(`group` `=` `` $group^)? `number` `=` $number attr-dict";
}

def HK_BeginExclusiveOp : HK_ExclusiveOp<"begin_exclusive"> {
  let summary = "Wait until the other group of warps has left its exclusive section";
  let description = [{
    The two groups alternate (ping-pong) in executing the section between this operation and `hk.end_exclusive`.
    Accesses of the other group before its `end_exclusive` are visible afterwards, as are earlier accesses of the
    group's own warps. Named barrier `number` admits the low group, and the next one the high group. With `group` only
    the warps of that group wait.

    C1: `number` is 1 to 14.
    C2: the target has named barriers. (Checked in the lowering.)
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.begin_exclusive number = 2
    hk.begin_exclusive group = low number = 2
    ```
  }];
}

def HK_EndExclusiveOp : HK_ExclusiveOp<"end_exclusive"> {
  let summary = "Admit the other group of warps to the exclusive section";
  let description = [{
    Does not wait. With `group` only the warps of that group execute it.

    C1: `number` is 1 to 14.
    C2: the target has named barriers. (Checked in the lowering.)
    C3: eight warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.end_exclusive number = 2
    hk.end_exclusive group = high number = 2
    ```
  }];
}

def HK_SetPriorityOp : HK_PipelineBarrierOp<"set_priority"> {
  let summary = "Set the issue priority of this warp";
  let description = [{
    Among the warps of a SIMD, the one with the highest priority issues first (AMD: s_setprio). Affects timing only, and
    nothing where warps have no priorities (`TargetInfo::hasWarpPriorities`).

    C1: `priority` is 0, 1, 2 or 3.

    ```mlir
    hk.set_priority 2
    ```
  }];
  let arguments = (ins HK_StagePriority:$priority);
  let assemblyFormat = "$priority attr-dict";
}

#endif
