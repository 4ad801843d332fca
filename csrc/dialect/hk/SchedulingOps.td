// What the instruction scheduler of a back end must leave where it is.
#ifndef HOCKET_DIALECT_HK_SCHEDULINGOPS_TD
#define HOCKET_DIALECT_HK_SCHEDULINGOPS_TD

include "dialect/hk/HkOpBase.td"

def HK_SchedBarrierOp : HK_Op<"sched_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Keep instructions from being scheduled over this point";
  let description = [{
    No instruction crosses this point in either direction, except the kinds that `allow` names: the sum of

    | bit | kind | bit | kind |
    |---|---|---|---|
    | 0x1 | whatever neither accesses memory nor has side effects | 0x40 | writes of global memory |
    | 0x2 | vector arithmetic | 0x80 | accesses of shared memory |
    | 0x4 | scalar arithmetic | 0x100 | reads of shared memory |
    | 0x8 | matrix arithmetic | 0x200 | writes of shared memory |
    | 0x10 | accesses of global memory | 0x400 | transcendental functions |
    | 0x20 | reads of global memory | 0x800 | copies into shared memory |

    It orders nothing between warps and takes no time. `computed` are values that must be known here:

    * On AMD, assembly without instructions reads their registers above the barrier. Without it, arithmetic could still
      be placed below: anywhere in its block before its first use. It costs no time.
    * NVIDIA's back end has no such hint, and without `computed` nothing is left of the operation. It does not move
      barriers and waits over what may pause a warp: a pause that is never taken depends on the registers, at the price
      of an instruction for each. What has an effect stays below, and all else may cross.

    C1: `allow` has no other bits.

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
