// Barriers of warp pipelines (StageOps.td). hocket-warp-pipeline-lowering lowers stages to these operations, hk.barrier
// and hk.sched_barrier.
//
// The 8, 12 or 16 warps that run the operations are two, three or four groups: warps 0 to 3 are group 0, warps 4 to 7
// group 1, and so on. Of two groups, group 0 is the low group, and group 1 the high group. Each SIMD of a compute unit
// or partition of an SM holds one warp of each group. A barrier counts arrivals at any program point, so the groups may
// arrive at different slots, the barrier positions between stages.
//
// On targets with named barriers (TargetInfo::namedBarriers), each operation has the `number` of the hardware barrier
// that it uses. The pipelines of one partition share this barrier. On other targets, all operations use the barrier of
// the block.
#ifndef HOCKET_DIALECT_HK_IR_PIPELINEBARRIEROPS_TD
#define HOCKET_DIALECT_HK_IR_PIPELINEBARRIEROPS_TD

include "dialect/hk/ir/HkOpBase.td"

// Named barrier 0 is not allowed, because it is the barrier of all warps of the default partition.
def HK_SlotBarrierNumber : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<15>]>;

// The memory effects prevent other operations from moving across a barrier, because the code before and the code after
// the barrier run at different times.
class HK_PipelineBarrierOp<string mnemonic> : HK_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HK_SlotBarrierOp : HK_PipelineBarrierOp<"slot_barrier"> {
  let summary = "Wait for all warps of a warp pipeline";
  let description = [{
    On targets whose barriers order memory (`TargetInfo::barriersOrderMemory`), the operation orders all accesses of
    shared and global memory. On other targets, an access of another warp is visible after the barrier if that warp
    waited for the access before it arrived; earlier accesses of this warp may still be in flight. On these targets,
    `finish_reads` adds one wait for all of this warp's shared memory reads after the barrier. Without `finish_reads`,
    VALU instructions wait for each read separately.

    C1: `number`, if there is one, is 1 to 15.
    C2: there is a number if and only if the target has named barriers. (Checked in the lowering.)
    C3: 8, 12 or 16 warps run the operation. (Checked in the lowering.)

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
  let summary = "Make some groups of warps wait for the other groups";
  let description = [{
    The attribute `hk.low_groups` is the number of low groups; without it, the number is one. Only the low groups, or
    only the high groups, arrive and wait. The other groups arrive at the barrier of their next slots.

    C1: `number`, if there is one, is 1 to 15.
    C2: there is a number if and only if the target has named barriers. (Checked in the lowering.)
    C3: 8, 12 or 16 warps run the operation. (Checked in the lowering.)

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
  let summary = "Wait until the previous group of warps has left its exclusive section";
  let description = [{
    The groups alternate (ping-pong) in executing the section between this operation and `hk.end_exclusive`, in the
    order of their numbers. After the operation, accesses of the previous group before its `end_exclusive` are visible,
    as are earlier accesses of the group's own warps. Named barrier `number` + g admits group g. With `group`, only the
    first (`low`) or the last group (`high`) waits.

    C1: `number` is 1 to 14.
    C2: the target has named barriers. (Checked in the lowering.)
    C3: 8, 12 or 16 warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.begin_exclusive number = 2
    hk.begin_exclusive group = low number = 2
    ```
  }];
}

def HK_EndExclusiveOp : HK_ExclusiveOp<"end_exclusive"> {
  let summary = "Admit the next group of warps to the exclusive section";
  let description = [{
    The operation does not wait. With `group`, only the first (`low`) or the last group (`high`) executes the operation.

    C1: `number` is 1 to 14.
    C2: the target has named barriers. (Checked in the lowering.)
    C3: 8, 12 or 16 warps run the operation. (Checked in the lowering.)

    ```mlir
    hk.end_exclusive number = 2
    hk.end_exclusive group = high number = 2
    ```
  }];
}

def HK_SetPriorityOp : HK_PipelineBarrierOp<"set_priority"> {
  let summary = "Set the issue priority of this warp";
  let description = [{
    Among the warps of a SIMD, the one with the highest priority issues first (AMD: s_setprio). The priority affects
    only timing. On targets without warp priorities (`TargetInfo::hasWarpPriorities`), the operation has no effect.

    C1: `priority` is 0, 1, 2 or 3.

    ```mlir
    hk.set_priority 2
    ```
  }];
  let arguments = (ins HK_StagePriority:$priority);
  let assemblyFormat = "$priority attr-dict";
}

#endif
