// Operations on the program as a whole: grid indices, barriers, checks, output.
#ifndef HOCKET_DIALECT_HK_IR_PROGRAMOPS_TD
#define HOCKET_DIALECT_HK_IR_PROGRAMOPS_TD

include "dialect/hk/ir/HkOpBase.td"

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

def HK_NanosecondsOp : HK_Op<"nanoseconds", [MemoryEffects<[MemRead<HK_Messages>, MemWrite<HK_Messages>]>]> {
  let summary = "Read a nanosecond clock that is the same on all processors of a GPU";
  let description = [{
    The result is in nanoseconds since an unspecified time. Every lane reads the clock once for all of its elements. The
    resolution may be as coarse as a microsecond. In the emulator the clock advances with each reading.

    ```mlir
    %t = hk.nanoseconds : tensor<128xi64, #blocked>
    ```
  }];
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def HK_BarrierOp : HK_Op<"barrier", [MemoryEffects<[MemRead<HK_SharedMemory>, MemWrite<HK_SharedMemory>,
                                                    MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>]> {
  let summary = "Wait for all warps of the block; order their shared and global memory accesses";
  let description = [{
    All lanes of the block must reach the same barrier. A `local` barrier orders shared memory accesses only; the
    compiler inserts `local` barriers for shared memory hazards.

    ```mlir
    hk.barrier
    hk.barrier local
    ```
  }];
  let arguments = (ins UnitAttr:$local);
  let assemblyFormat = "(`local` $local^)? attr-dict";
}

def HK_ProxyFenceOp : HK_Op<"proxy_fence", [MemoryEffects<[MemRead<HK_SharedMemory>, MemWrite<HK_SharedMemory>]>]> {
  let summary = "Make a lane's stores visible to accesses through the async proxy";
  let description = [{
    The fence applies to the lane's earlier stores to shared memory, or with `global` to global memory. A barrier after
    the fence orders these stores before an asynchronous access (`HK_AsyncProxyAccess`). The fence itself orders nothing
    between lanes. The compiler inserts missing fences. NVIDIA GPUs from Hopper on have an async proxy.

    ```mlir
    hk.proxy_fence
    hk.proxy_fence global
    ```
  }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

def HK_AssertOp : HK_Op<"assert", [MemoryEffects<[MemWrite<HK_Messages>]>]> {
  let summary = "Stop the program with a message if a condition is false";
  let description = [{
    The program stops before operations that follow have any effect. Loads after a `late` assertion may be executed
    before it; `late` is used if the emulator checks these loads itself.

    ```mlir
    hk.assert %in_range, "index out of range" : tensor<128xi1, #blocked>
    hk.assert %in_range, "index out of range" late : i1
    ```
  }];
  let arguments = (ins HK_BoolLike:$condition, StrAttr:$message, UnitAttr:$late);
  let assemblyFormat = "$condition `,` $message (`late` $late^)? attr-dict `:` type($condition)";
}

def HK_PrintOp : HK_Op<"print", [MemoryEffects<[MemWrite<HK_Messages>]>]> {
  let summary = "Print a line for each element of tensors";
  let description = [{
    The line begins with block, warp, lane and element, followed by `text`. In `text`, elements of the values replace
    the placeholders `{d}` (signed), `{u}` (unsigned), `{x}` (hexadecimal) and `{f}` (float); `{{` prints one brace. An
    element that several lanes hold is printed once, by the first of these lanes. Scalars, and a text without values,
    are printed once for the block. In the region of an `ElementRegion`, however, scalars belong to one lane: in the
    region of `hk.map`, each element prints a line; in other regions, each lane prints a line for each pair of elements
    that it combines.

    C1: the values are scalars, or tensors of one shape and layout.
    C2: `text` has one placeholder for each value: `{f}` for floats, and only for floats. Values have 32 or 64 bits.

    ```mlir
    hk.print "x: {f} of {d}", %x, %n : tensor<128xf32, #blocked>, tensor<128xi32, #blocked>
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<HK_Value>:$values);
  let assemblyFormat = "$text (`,` $values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def HK_AssumeOp : HK_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "State a condition that the optimizer may assume; undefined behavior if it is false";
  let description = [{
    ```mlir
    hk.assume %n_is_positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
