// Barriers for the instruction scheduler of a back end.
#ifndef HOCKET_DIALECT_HK_IR_SCHEDULINGOPS_TD
#define HOCKET_DIALECT_HK_IR_SCHEDULINGOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_SchedBarrierOp : HK_Op<"sched_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Keep the instruction scheduler from moving instructions across this point";
  let description = [{
    No instruction crosses this point in either direction, except the kinds in `allow`, which is a sum of these bits:

    | bit | kind | bit | kind |
    |---|---|---|---|
    | 0x1 | instructions without memory accesses or side effects | 0x40 | global memory writes (VMEM) |
    | 0x2 | VALU | 0x80 | LDS accesses |
    | 0x4 | SALU | 0x100 | LDS reads |
    | 0x8 | MFMA | 0x200 | LDS writes |
    | 0x10 | global memory accesses (VMEM) | 0x400 | transcendental instructions |
    | 0x20 | global memory reads (VMEM) | 0x800 | copies into LDS |

    The operation orders nothing between warps and takes no time. The values `computed` must have been computed at this
    point:

    * On AMD, empty inline assembly before the barrier reads their registers. Without this assembly, LLVM could place
      the VALU instructions that compute the values after the barrier, anywhere in the basic block before the first use
      of the values. The inline assembly emits no instruction.
    * NVIDIA's back end has no scheduling barrier. Without `computed`, the operation is lowered to nothing. With
      `computed`, the lowering emits a conditional nanosleep that depends on the registers and is never executed: ptxas
      does not move barriers and waits across an instruction that may put the warp to sleep. The dependence takes one
      instruction for each register. Later operations with side effects stay after the nanosleep; all other operations
      may cross it.

    `stage` is the label of the stage of a warp pipeline that begins here; it is empty at the end of the pipeline.

    C1: `allow` is a sum of these bits.

    ```mlir
    hk.sched_barrier
    hk.sched_barrier {allow = 1 : i32}
    hk.sched_barrier stage "load"
    hk.sched_barrier computed %x : tensor<64xf32, #blocked>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<0xfff>]>, "0">:$allow,
    Variadic<AnyTypeOf<[HK_NumberTensor, AnySignlessInteger, AnyFloat]>>:$computed, OptionalAttr<StrAttr>:$stage);
  let builders = [OpBuilder<(ins CArg<"uint32_t", "0">:$allow,
                                 CArg<"::mlir::ValueRange", "::mlir::ValueRange()">:$computed), [{
    build($_builder, $_state, allow, computed, /*stage=*/::mlir::StringAttr());
  }]>];
  let assemblyFormat = "(`stage` $stage^)? (`computed` $computed^ `:` type($computed))? attr-dict";
}

#endif
