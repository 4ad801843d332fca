// Operations of one lane of a warpgroup in a wgmma.
#ifndef HOCKET_DIALECT_LANE_WARPGROUPOPS_TD
#define HOCKET_DIALECT_LANE_WARPGROUPOPS_TD

include "dialect/lane/LaneOpBase.td"

def Lane_Accumulator : AnyTypeOf<[I32, F32]>;

def Lane_WgmmaOp : Lane_Op<"wgmma", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start adding a x b to the accumulators of a warpgroup";
  let description = [{
    The operation is one wgmma.mma_async. `b` is a matrix descriptor; `a` is a matrix descriptor or the lane's four
    words of the operand. Only another wgmma or a `lane.wgmma_wait` may use the results. A register operand that
    ordinary instructions may have written must be the result of a `lane.wgmma_fence`. If `use_acc` is false, the
    accumulators are treated as zero.

    C1: `instruction` is one of target/WgmmaInstructions.h. The instruction determines the number of accumulators;
        accumulators are f32 if the instruction accumulates in f32, else words of one i32 or two f16.
    C2: `a` is one i64, or four i32.
    C3: `transposedA` and `transposedB`, which mean that K is the slower dimension in memory, are allowed only for
    16-bit elements in shared memory.

    ```mlir
    %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %c#0, %c#1, %c#2, %c#3 : (i64), (f32, f32, f32, f32)
    ```
  }];
  let arguments = (ins StrAttr:$instruction, Variadic<AnyTypeOf<[I32, I64]>>:$a, I64:$b,
    Variadic<Lane_Accumulator>:$acc, Optional<I1>:$useAcc, UnitAttr:$transposedA, UnitAttr:$transposedB);
  let results = (outs Variadic<Lane_Accumulator>:$results);
  let assemblyFormat = [{
    $instruction `[` $a `]` `,` $b `into` $acc (`use_acc` $useAcc^)? attr-dict `:` `(` type($a) `)` `,` `(` type($acc) `)`
  }];
  let hasVerifier = 1;
}

def Lane_WgmmaFenceOp : Lane_Op<"wgmma_fence", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Order register writes before the wgmmas that read these registers";
  let description = [{
    The registers (accumulators, and words of operand a) are operands and results of the fence, so that writes of the
    registers precede the fence. One fence is enough for all wgmmas that follow. A fence between two wgmmas of one group
    would make ptxas split the group: a wait for an earlier group would then also wait for the first of these wgmmas.

    ```mlir
    %e:2 = lane.wgmma_fence %d#0, %d#1 : f32, f32
    ```
  }];
  let arguments = (ins Variadic<Lane_Accumulator>:$registers);
  let results = (outs Variadic<Lane_Accumulator>:$results);
  let assemblyFormat = "($registers^)? attr-dict (`:` type($registers)^)?";
}

def Lane_WgmmaWaitOp : Lane_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Wait until at most `outstanding` groups of wgmma are pending";
  let description = [{
    The accumulators are operands and results of the wait, so that ordinary instructions read the accumulators only
    after the wait. The accumulators stay in their registers.

    ```mlir
    %e:2 = lane.wgmma_wait %d#0, %d#1 {outstanding = 0 : i32} : f32, f32
    ```
  }];
  let arguments = (ins Variadic<Lane_Accumulator>:$accs, ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding);
  let results = (outs Variadic<Lane_Accumulator>:$results);
  let assemblyFormat = "($accs^)? attr-dict (`:` type($accs)^)?";
}

#endif
