// The program as a whole: its place in the grid, its barriers, its checks.
#ifndef HOCKET_DIALECT_HK_PROGRAMOPS_TD
#define HOCKET_DIALECT_HK_PROGRAMOPS_TD

include "dialect/hk/HkOpBase.td"

class HK_GridOp<string mnemonic> : HK_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def HK_ProgramIdOp : HK_GridOp<"program_id"> {
  let summary = "Return this block's index along a grid axis";
  let description = [{
    C1: `axis` is 0, 1 or 2.

    ```mlir
    %pid = hk.program_id 0
    ```
  }];
}

def HK_NumProgramsOp : HK_GridOp<"num_programs"> {
  let summary = "Return the number of blocks along a grid axis";
  let description = [{
    C1: `axis` is 0, 1 or 2.

    ```mlir
    %blocks = hk.num_programs 0
    ```
  }];
}

def HK_BarrierOp : HK_Op<"barrier", [MemoryEffects<[MemRead<HK_SharedMemory>, MemWrite<HK_SharedMemory>,
                                                    MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>]> {
  let summary = "Wait for all warps of the block; order their shared and global memory accesses";
  let description = [{
    All lanes of the block must reach the same barrier. `local` orders shared memory only: this is what the compiler
    inserts for shared-memory hazards.

    ```mlir
    hk.barrier
    hk.barrier local
    ```
  }];
  let arguments = (ins UnitAttr:$local);
  let assemblyFormat = "(`local` $local^)? attr-dict";
}

def HK_AssertOp : HK_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the program with a message where a condition is false";
  let description = [{
    ```mlir
    hk.assert %in_range, "index out of range" : tensor<128xi1, #blocked>
    ```
  }];
  let arguments = (ins HK_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def HK_AssumeOp : HK_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "State a fact that the optimiser may use; undefined behaviour if it is false";
  let description = [{
    ```mlir
    hk.assume %n_is_positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
