// Matrix products of Hopper's warpgroups, which read shared memory while the program goes on.
#ifndef HOCKET_DIALECT_HK_NV_WARPGROUPOPS_TD
#define HOCKET_DIALECT_HK_NV_WARPGROUPOPS_TD

include "dialect/hk/AsyncResultInterfaces.td"
include "dialect/hk_nv/MatrixOps.td"

def HkNv_WarpgroupMmaOp : HkNv_Op<"warpgroup_mma", [AllTypesMatch<["acc", "result"]>, HK_MatrixProduct,
    HK_AsyncProxyAccess, DeclareOpInterfaceMethods<HK_AsyncAccess>, DeclareOpInterfaceMethods<HK_AsyncCommit>,
    DeclareOpInterfaceMethods<HK_AsyncResults>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start acc + a x b by wgmma: four warps multiply what shared memory holds";
  let description = [{
    Asynchronous, and a group of its own on the counter `hk_nv.wgmma_groups` (with `group_goes_on`, one with the next
    product): until an `hk_nv.warpgroup_mma_wait` has waited for it, its operands in shared memory are being read, and
    the result is in registers that only further products may take as accumulator. Where `use_acc` is false, the accumulator counts as zero. f32 operands are
    multiplied as tf32. Shared memory is read through a proxy of its own.

    C1: a is [M, K], b [K, N], acc [M, N]. b is in shared memory, a there or in registers.
    C2: acc has a `#hk_nv.mma` layout of version [3, 0]; a in registers has its dot operand layout 0, with a `k_width`
        of 4 bytes.
    C3: a and b are both f16, bf16, f32, i8 (signed unless `unsigned_a`, `unsigned_b`), or each f8E4M3FN or f8E5M2; acc
        is i32 for i8, f32 or f16 for f16, else f32.
    C4: `instr_shape` of the layout is [16, N, K] with K 32 bytes of the operands. M of the product is a multiple of 64,
        its N of that N, its K of that K.
    C5: matrix descriptors can say where the operands in shared memory are: with K fastest, or, of 16-bit elements, as
        well the other dimension; in a layout as `#hk_nv.mma_shared` with a swizzle. (Checked in the lowering.)
    C6: the target has wgmma. (Checked in the lowering.)

    ```mlir
    %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x128xf16, #shared>
           -> tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins AnyTypeOf<[HK_NumberTensor, HK_MemDesc]>:$a, HK_MemDesc:$b, HK_NumberTensor:$acc,
    Optional<I1>:$useAcc, UnitAttr:$unsignedA, UnitAttr:$unsignedB, UnitAttr:$group_goes_on);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = [{
    $a (`unsigned_a` $unsignedA^)? `,` $b (`unsigned_b` $unsignedB^)? `,` $acc (`use_acc` $useAcc^)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def HkNv_JoinedWarpgroupMmaOp : HkNv_Op<"joined_warpgroup_mma", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start several products of one a, which stand side by side, as wider ones";
  let description = [{
    What as many `hk_nv.warpgroup_mma` do: each accumulator gets a times a slot of the ring in which `b` lies, the first
    one times `b`, the others times the slots after it. One instruction computes the columns of all accumulators, so that
    a is read once for all of them. `hocket-join-products` makes it once all waits are in place.

    C1: there are at least two accumulators, all of one type; each is as wide as an instruction of its layout.
    C2: a, b, and each accumulator are as `hk_nv.warpgroup_mma` has them.
    C3: there is an instruction for the columns of all accumulators: at most 256; of integers 24 or a multiple of 16.
    C4: `b` is a whole slot of a ring, and a matrix descriptor can say where it and the slots after it are. (Checked in
        the lowering.)

    ```mlir
    %e:2 = hk_nv.joined_warpgroup_mma %a, %b, %c, %d
             : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared>
             -> tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    ```
  }];
  let arguments = (ins AnyTypeOf<[HK_NumberTensor, HK_MemDesc]>:$a, HK_MemDesc:$b, Variadic<HK_NumberTensor>:$accs,
    Optional<I1>:$useAcc, UnitAttr:$unsignedA, UnitAttr:$unsignedB, UnitAttr:$group_goes_on);
  let results = (outs Variadic<HK_NumberTensor>:$results);
  let assemblyFormat = [{
    $a (`unsigned_a` $unsignedA^)? `,` $b (`unsigned_b` $unsignedB^)? `,` $accs (`use_acc` $useAcc^)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `->` type($accs)
  }];
  let hasVerifier = 1;
}

def HkNv_WarpgroupMmaWaitOp : HkNv_Op<"warpgroup_mma_wait", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_AsyncWait>, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Wait until at most `outstanding` products of the warpgroup are unfinished";
  let description = [{
    Gives back accumulators: those of products that are finished can be used from here on as any tensor; those of the
    newest `outstanding` products must still go through another wait.

    C1: `outstanding` is from 0 to 7.

    ```mlir
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins Variadic<HK_NumberTensor>:$accs,
    ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<7>]>:$outstanding);
  let results = (outs Variadic<HK_NumberTensor>:$results);
  let assemblyFormat = "($accs^)? attr-dict (`:` type($accs)^)?";
}

def HkNv_WarpgroupMmaFinishedOp : HkNv_Op<"warpgroup_mma_finished", [MemoryEffects<[MemRead, MemWrite]>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "Take an accumulator whose products have been waited for, to use it as a tensor";
  let description = [{
    For accumulators that a wait has finished and that did not go through it. No instruction: it keeps what uses the
    result after the waits that precede it.

    ```mlir
    %e = hk_nv.warpgroup_mma_finished %d : tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$acc attr-dict `:` type($acc)";
}

#endif
