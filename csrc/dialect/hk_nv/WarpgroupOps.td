// wgmma operations of Hopper's warpgroups, which read shared memory asynchronously.
#ifndef HOCKET_DIALECT_HK_NV_WARPGROUPOPS_TD
#define HOCKET_DIALECT_HK_NV_WARPGROUPOPS_TD

include "dialect/hk/facts/AsyncResultInterfaces.td"
include "dialect/hk_nv/MatrixOps.td"

def HkNv_WarpgroupMmaOp : HkNv_Op<"warpgroup_mma", [AllTypesMatch<["acc", "result"]>, HK_Mma,
    HK_AsyncProxyAccess, DeclareOpInterfaceMethods<HK_AsyncAccess>, DeclareOpInterfaceMethods<HK_AsyncCommit>,
    DeclareOpInterfaceMethods<HK_AsyncResults>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start acc + a x b by wgmma, with b in shared memory";
  let description = [{
    The operation is asynchronous. Each wgmma is a separate group on the counter `hk_nv.wgmma_groups`; with
    `group_goes_on`, the wgmma shares the group of the next wgmma. Until an `hk_nv.warpgroup_mma_wait` has waited for
    the group, the hardware may read the operands in shared memory, and only further wgmmas may use the result, as their
    accumulator. If `use_acc` is false, the accumulator is treated as zero. f32 operands are multiplied as tf32. wgmma
    reads shared memory through the async proxy.

    C1: a is [M, K], b [K, N], acc [M, N]. b is in shared memory, a in shared memory or in registers.
    C2: acc has a `#hk_nv.mma` layout of version [3, 0]; a in registers has its dot operand layout 0, with a `k_width`
        of 4 bytes.
    C3: a and b are both f16, bf16, f32, i8 (signed unless `unsigned_a`, `unsigned_b`), or each f8E4M3FN or f8E5M2; acc
        is i32 for i8, f32 or f16 for f16, else f32.
    C4: `instr_shape` of the layout is [16, N, K], where K is 32 bytes of the operands. The operation's M is a multiple
        of 64, its N of the instruction's N, its K of the instruction's K.
    C5: matrix descriptors can express the layouts of the operands in shared memory: the layout is like
        `#hk_nv.mma_shared` with a swizzle, and K is the fastest dimension; for 16-bit elements, the other dimension may
        be the fastest. (Checked in the lowering.)
    C6: the target has wgmma. (Checked in the lowering.)

    ```mlir
    %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x128xf16, #shared>
           -> tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins AnyTypeOf<[HK_NumberTensor, HK_SharedMemDesc]>:$a, HK_SharedMemDesc:$b, HK_NumberTensor:$acc,
    Optional<I1>:$useAcc, UnitAttr:$unsignedA, UnitAttr:$unsignedB, UnitAttr:$group_goes_on);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = [{
    $a (`unsigned_a` $unsignedA^)? `,` $b (`unsigned_b` $unsignedB^)? `,` $acc (`use_acc` $useAcc^)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def HkNv_FusedWarpgroupMmaOp : HkNv_Op<"fused_warpgroup_mma", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start several wgmmas that share operand a and have adjacent operands b, as wider wgmmas";
  let description = [{
    The operation is equivalent to one `hk_nv.warpgroup_mma` for each accumulator: the first one with `b`, the others
    with the buffers that follow `b` in its ring buffer. One instruction computes the columns of all accumulators, so
    that a is read only once. `hocket-fuse-wgmma` creates the operation after all waits have been inserted; the front
    end never creates it.

    C1: there are at least two accumulators, all of one type; each is as wide as an instruction of its layout.
    C2: a, b, and each accumulator fulfill the constraints of `hk_nv.warpgroup_mma`.
    C3: there is an instruction for the total number of columns of all accumulators: at most 256; for integers 24 or a
      multiple of 16.
    C4: `b` is a whole slot of a ring buffer, and a matrix descriptor can express its position together with the
        following buffers. (Checked in the lowering.)

    ```mlir
    %e:2 = hk_nv.fused_warpgroup_mma %a, %b, %c, %d
             : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared>
             -> tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    ```
  }];
  let arguments = (ins AnyTypeOf<[HK_NumberTensor, HK_SharedMemDesc]>:$a, HK_SharedMemDesc:$b, Variadic<HK_NumberTensor>:$accs,
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
  let summary = "Wait until at most `outstanding` wgmmas of the warpgroup are pending";
  let description = [{
    The results are the accumulators. The results of completed wgmmas can be used like any tensor; the results of the
    newest `outstanding` wgmmas still need another wait. `implied` marks a wait that the compiler has inserted.

    C1: `outstanding` is from 0 to 7.

    ```mlir
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins Variadic<HK_NumberTensor>:$accs,
    ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<7>]>:$outstanding, UnitAttr:$implied);
  let results = (outs Variadic<HK_NumberTensor>:$results);
  let assemblyFormat = "($accs^)? (`implied` $implied^)? attr-dict (`:` type($accs)^)?";
}

def HkNv_WarpgroupMmaFinishedOp : HkNv_Op<"warpgroup_mma_finished", [MemoryEffects<[MemRead, MemWrite]>,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "Convert an accumulator whose wgmmas have been waited for to an ordinary tensor";
  let description = [{
    The accumulator is complete because of an earlier wait that does not have the accumulator as an operand. The
    operation lowers to no instruction. The operation keeps uses of its result after the preceding waits.

    ```mlir
    %e = hk_nv.warpgroup_mma_finished %d : tensor<64x128xf32, #mma>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$acc attr-dict `:` type($acc)";
}

#endif
