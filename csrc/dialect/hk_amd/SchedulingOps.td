// Requests to the instruction scheduler of the back end.
#ifndef HOCKET_DIALECT_HK_AMD_SCHEDULINGOPS_TD
#define HOCKET_DIALECT_HK_AMD_SCHEDULINGOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

def HkAmd_SchedGroupBarrierOp : HkAmd_Op<"sched_group_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Request a group of instructions at this point of an instruction schedule";
  let description = [{
    Several of these operations with the same `sync` define the order in which the back end's scheduler should place the
    surrounding instructions: first `size` instructions of `kinds` (the bits of `hk.sched_barrier`), then the
    instructions of the next operation. The operation affects only timing.

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
