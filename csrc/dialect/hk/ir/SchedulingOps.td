// Barriers for the instruction scheduler of a back end.
#ifndef HOCKET_DIALECT_HK_IR_SCHEDULINGOPS_TD
#define HOCKET_DIALECT_HK_IR_SCHEDULINGOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_SchedBarrierOp : HK_Op<"sched_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Keep the instruction scheduler from moving instructions across this point";
  let description = [{
    No instruction crosses this point in either direction, except the kinds in `allow`, the sum of

    | bit | kind | bit | kind |
    |---|---|---|---|
    | 0x1 | instructions without memory accesses or side effects | 0x40 | global memory writes (VMEM) |
    | 0x2 | VALU | 0x80 | LDS accesses |
    | 0x4 | SALU | 0x100 | LDS reads |
    | 0x8 | MFMA | 0x200 | LDS writes |
    | 0x10 | global memory accesses (VMEM) | 0x400 | transcendental instructions |
    | 0x20 | global memory reads (VMEM) | 0x800 | copies into LDS |

    It orders nothing between warps and takes no time. `computed` are values that must have been computed at this
    point:

    * On AMD, an empty inline assembly statement reads their registers above the barrier. Without it, VALU instructions
      could still be placed below: anywhere in their block before the first use. It costs no time.
    * NVIDIA's back end has no such hint, and without `computed` the operation lowers to nothing. ptxas does not move
      barriers and waits across a potential pause of the warp: the lowering adds a pause that is never taken and that
      depends on the registers, at the cost of one instruction for each. Operations with side effects stay below, all
      others may cross.

    C1: `allow` is a sum of these bits.

    ```mlir
    hk.sched_barrier
    hk.sched_barrier {allow = 1 : i32}
    hk.sched_barrier computed %x : tensor<64xf32, #blocked>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<0xfff>]>, "0">:$allow,
    Variadic<AnyTypeOf<[HK_NumberTensor, AnySignlessInteger, AnyFloat]>>:$computed);
  let builders = [OpBuilder<(ins CArg<"uint32_t", "0">:$allow), [{
    build($_builder, $_state, allow, ::mlir::ValueRange());
  }]>];
  let assemblyFormat = "(`computed` $computed^ `:` type($computed))? attr-dict";
}

#endif
