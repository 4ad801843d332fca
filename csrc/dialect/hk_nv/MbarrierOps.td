// Mbarriers: barriers in shared memory that count arrivals, and on Hopper also the bytes of asynchronous copies.
#ifndef HOCKET_DIALECT_HK_NV_MBARRIEROPS_TD
#define HOCKET_DIALECT_HK_NV_MBARRIEROPS_TD

include "dialect/hk/facts/ClusterInterfaces.td"
include "dialect/hk/facts/PredicateInterfaces.td"
include "dialect/hk_nv/HkNvOpBase.td"

// An mbarrier is a word of 64 bits. An mbarrier goes through phases, numbered from 0. A phase completes after the
// number of arrivals given to `mbarrier_init` and after all expected bytes have arrived. The next phase then begins at
// once.
//
// An operation that acts once for the block (or for the partition of warps) is executed by the first thread of the
// block (or partition).
class HkNv_MbarrierOp<string mnemonic, list<Trait> traits = [], list<string> methods = []>
    : HkNv_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>,
                                  DeclareOpInterfaceMethods<HK_SharedBarrierUse, methods>]> {
  let hasVerifier = 1;
}
def HkNv_ChangedMbarrier : Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>;

def HkNv_MbarrierInitOp : HkNv_MbarrierOp<"mbarrier_init"> {
  let summary = "Initialize a word of shared memory as an mbarrier whose phases need `count` arrivals";
  let description = [{
    Phase 0 begins. The compiler inserts a barrier of the block before other threads use the mbarrier. On targets with
    asynchronous bulk copies, a fence makes the mbarrier visible to these copies.

    C1: the handle refers to one i64.
    C2: `count` is 1 to 2^20 - 1.

    ```mlir
    hk_nv.mbarrier_init %bar, 1 : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierInvalidateOp : HkNv_MbarrierOp<"mbarrier_invalidate"> {
  let summary = "Invalidate an mbarrier so that its memory can be reused";
  let description = [{
    The operation is required before the memory is used for anything else, or is initialized again.

    C1: the handle refers to one i64.

    ```mlir
    hk_nv.mbarrier_invalidate %bar : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierExpectOp : HkNv_MbarrierOp<"mbarrier_expect", [HK_Predicated, HK_ClusterMbarrierUse]> {
  let summary = "Arrive once, and add to the bytes of asynchronous copies that the phase waits for";
  let description = [{
    The block arrives once, after all earlier accesses of its warps (like `hk_nv.mbarrier_arrive`). If `pred` is false,
    the operation has no effect. The operation requires Hopper. (Checked in the lowering.)

    C1: the handle refers to one i64.
    C2: `bytes` is 0 to 2^20 - 1.
    C3: `from_cta` is as in `hk_nv.mbarrier_arrive`.

    `reaches_other_ctas` is set if blocks use mbarriers of other blocks of the cluster. These mbarriers must have been
    initialized.

    ```mlir
    hk_nv.mbarrier_expect %bar, 16384 pred %more : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$bytes, Optional<I1>:$pred,
    OptionalAttr<I32Attr>:$fromCta, UnitAttr:$reaches_other_ctas);
  let assemblyFormat = [{
    $barrier `,` $bytes (`pred` $pred^)? (`from_cta` `=` $fromCta^)? (`reaches_other_ctas` $reaches_other_ctas^)?
    attr-dict `:` qualified(type($barrier))
  }];
}

def HkNv_MbarrierArriveOp : HkNv_MbarrierOp<"mbarrier_arrive", [HK_Predicated, HK_ClusterMbarrierUse],
                                            ["isPerWarp"]> {
  let summary = "Arrive `count` times at an mbarrier, either for the whole block or for each warp";
  let description = [{
    Earlier accesses of the block's warps are visible to threads that wait for the phase: the compiler inserts a barrier
    of the block between these accesses and the arrival. If `pred` is false, the operation has no effect. A count other
    than 1 requires Hopper. (Checked in the lowering.)

    With `per_warp` each warp arrives `count` times on its own, without a barrier between warps. The phase counts the
    arrivals of all warps, including warps of other blocks that arrive at this mbarrier.

    C1: the handle refers to one i64.
    C2: `count` is 1 to 2^20 - 1.
    C3: `from_cta` is less than the number of blocks in the cluster.

    In a cluster, each block arrives at its own mbarrier. `from_cta` is a mask: the block that arrives at the mbarrier
    of block b is block (b AND `from_cta`). With the mask 0, the first block arrives at the mbarriers of all blocks. If
    the layout has rows of zeros for bits of the block's rank, blocks that differ in these bits share the mbarrier of
    the first of them: all these blocks arrive at it, and the first block waits.

    C4: `from_cta` is not allowed for an mbarrier that blocks share.

    An arrival at another block's mbarrier includes a fence of GPU scope, which makes this block's writes visible to the
    other block. A `relaxed` arrival has no fence: it only signals that reads have completed, so that copies may
    overwrite the memory.

    C5: `relaxed` is allowed only for an mbarrier that blocks share, or with `from_cta`.

    `reaches_other_ctas` is set if blocks use mbarriers of other blocks of the cluster. These mbarriers must have been
    initialized.

    ```mlir
    hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi64, #shared>
    hk_nv.mbarrier_arrive %bar, 1 per_warp pred %more : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$count, Optional<I1>:$pred, UnitAttr:$per_warp,
    OptionalAttr<I32Attr>:$fromCta, UnitAttr:$relaxed, UnitAttr:$reaches_other_ctas);
  let assemblyFormat = [{
    $barrier `,` $count (`per_warp` $per_warp^)? (`pred` $pred^)? (`from_cta` `=` $fromCta^)? (`relaxed` $relaxed^)?
    (`reaches_other_ctas` $reaches_other_ctas^)? attr-dict
    `:` qualified(type($barrier))
  }];
}

def HkNv_MbarrierArriveCopiesOp : HkNv_MbarrierOp<"mbarrier_arrive_copies",
                                                  [DeclareOpInterfaceMethods<HK_AsyncArrival>]> {
  let summary = "Make each thread arrive when its asynchronous copies (cp.async) are complete";
  let description = [{
    Every thread arrives once, when all copies that it has started so far have written shared memory; these copies need
    no commit and no wait for a group. With `increment`, each of these arrivals increases the number of arrivals that
    the phase waits for, so the count of `mbarrier_init` does not include them. If `increment` is present, all threads
    must execute the operation before any thread waits for the phase.

    C1: the handle refers to one i64.

    ```mlir
    hk_nv.mbarrier_arrive_copies %bar increment : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, UnitAttr:$increment);
  let assemblyFormat = "$barrier (`increment` $increment^)? attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierWaitOp : HkNv_MbarrierOp<"mbarrier_wait", [AttrSizedOperandSegments, HK_Predicated, HK_ClusterMbarrierUse],
                                          ["getAwaitedPhase"]> {
  let summary = "Wait until a phase of an mbarrier is complete";
  let description = [{
    Every thread waits until phase `phase` is complete. Only the parity of `phase` is used: it selects the current phase
    or the preceding one. After the wait, accesses before the arrivals and data of asynchronous copies are visible. If
    `pred` is false, the operation has no effect. Buffers in `deps` stay live until the wait. `ends_cluster_barrier`
    marks the last operation of an expanded hk.cluster_barrier.

    C1: the handle refers to one i64.

    ```mlir
    hk_nv.mbarrier_wait %bar, %phase pred %more deps %tile : !hk.memdesc<1xi64, #shared>, !hk.memdesc<64x64xf16, #tile>
    ```
  }];
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$barrier, I32:$phase, Optional<I1>:$pred,
    Variadic<HK_MemDesc>:$deps, UnitAttr:$ends_cluster_barrier);
  let assemblyFormat = [{
    $barrier `,` $phase (`pred` $pred^)? (`deps` $deps^)? (`ends_cluster_barrier` $ends_cluster_barrier^)? attr-dict
    `:` qualified(type($barrier))
    (`,` qualified(type($deps))^)?
  }];
}

def HkNv_FenceMbarrierInitOp : HkNv_Op<"fence_mbarrier_init", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Make the initialization of mbarriers visible to the other blocks of a cluster";
  let description = [{
    The thread that has initialized the mbarriers executes the fence. The fence requires Hopper. (Checked in the
    lowering.)

    ```mlir
    hk_nv.fence_mbarrier_init
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
