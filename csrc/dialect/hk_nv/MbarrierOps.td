// Mbarriers: barriers in shared memory that count arrivals, and on Hopper the bytes that copies bring.
#ifndef HOCKET_DIALECT_HK_NV_MBARRIEROPS_TD
#define HOCKET_DIALECT_HK_NV_MBARRIEROPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

// An mbarrier is a word of 64 bits. It goes through phases, numbered from 0. A phase is complete when as many arrivals
// have come as `mbarrier_init` said, and all the bytes that were expected; the next one then begins at once.
//
// What is done once for the block (or the partition of warps) is done by its first thread.
class HkNv_MbarrierOp<string mnemonic, list<Trait> traits = [], list<string> tracking = []>
    : HkNv_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>,
                                  DeclareOpInterfaceMethods<HK_SharedBarrierUse, tracking>]> {
  let hasVerifier = 1;
}
def HkNv_ChangedMbarrier : Arg<HK_MemDesc, "", [MemWrite<HK_SharedMemory>]>;

def HkNv_MbarrierInitOp : HkNv_MbarrierOp<"mbarrier_init"> {
  let summary = "Make a word of shared memory an mbarrier whose phases need `count` arrivals";
  let description = [{
    Phase 0 begins. The compiler inserts a barrier of the block before other threads use the mbarrier. A fence makes it
    visible to asynchronous copies, where the target has those.

    C1: the handle shows one i64.
    C2: `count` is 1 to 2^20 - 1.

    ```mlir
    hk_nv.mbarrier_init %bar, 1 : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierInvalidateOp : HkNv_MbarrierOp<"mbarrier_invalidate"> {
  let summary = "Make an mbarrier plain memory again";
  let description = [{
    Before its memory is used for anything else, or initialised again.

    C1: the handle shows one i64.

    ```mlir
    hk_nv.mbarrier_invalidate %bar : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierExpectOp : HkNv_MbarrierOp<"mbarrier_expect"> {
  let summary = "Arrive once, and let the phase also wait for bytes that asynchronous copies bring";
  let description = [{
    One arrival for the block, after all that its warps have done (like `hk_nv.mbarrier_arrive`); nothing where `pred` is
    false. On Hopper only. (Checked in the lowering.)

    C1: the handle shows one i64.
    C2: `bytes` is 0 to 2^20 - 1.
    C3: `from_cta` is as in `hk_nv.mbarrier_arrive`.

    ```mlir
    hk_nv.mbarrier_expect %bar, 16384 pred %more : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$bytes, Optional<I1>:$pred,
    OptionalAttr<I32Attr>:$fromCta);
  let assemblyFormat = "$barrier `,` $bytes (`pred` $pred^)? (`from_cta` `=` $fromCta^)? attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierArriveOp : HkNv_MbarrierOp<"mbarrier_arrive", [], ["isPerWarp"]> {
  let summary = "Arrive `count` times at an mbarrier, once for all warps of the block or for each";
  let description = [{
    What the block's warps did before is visible to whoever waits for the phase: the compiler inserts a barrier of the
    block before it, unless nothing has happened since the last one. Nothing where `pred` is false. A count other than 1
    needs Hopper. (Checked in the lowering.)

    With `per_warp` each warp arrives `count` times for itself, and warps do not meet: the phase counts the arrivals of
    all of them, of those of other blocks, too, which arrive there.

    C1: the handle shows one i64.
    C2: `count` is 1 to 2^20 - 1.
    C3: `from_cta` is 0 to the blocks of the cluster - 1.
    In a cluster, each block arrives at its own mbarrier. With `from_cta`, a mask of bits of a block's number, it is the
    block whose number has those bits of this one's, and else zeros, that arrives at this block's mbarrier: with 0, the
    first block arrives at those of all. Where the layout has rows of zeros for bits of a block's number, blocks that
    differ in these share one mbarrier, that of the first: all arrive there, and that block waits.

    C4: the mbarrier is not shared if there is a `from_cta`.

    An arrival at another block's mbarrier makes what this block has written visible there, by a fence for the whole GPU.
    A `relaxed` one does not: it says that something was read, which copies may now overwrite.

    C5: `relaxed` is for mbarriers of other blocks: shared, or with a `from_cta`.

    ```mlir
    hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi64, #shared>
    hk_nv.mbarrier_arrive %bar, 1 per_warp pred %more : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, I32Attr:$count, Optional<I1>:$pred, UnitAttr:$per_warp,
    OptionalAttr<I32Attr>:$fromCta, UnitAttr:$relaxed);
  let assemblyFormat = [{
    $barrier `,` $count (`per_warp` $per_warp^)? (`pred` $pred^)? (`from_cta` `=` $fromCta^)? (`relaxed` $relaxed^)?
    attr-dict
    `:` qualified(type($barrier))
  }];
}

def HkNv_MbarrierArriveCopiesOp : HkNv_MbarrierOp<"mbarrier_arrive_copies", [], ["getTrackedCounter"]> {
  let summary = "Let each thread arrive once its asynchronous copies (cp.async) are there";
  let description = [{
    Every thread arrives once, when all copies that it has started so far have written shared memory; they need no
    commit and no wait for a group. With `increment` the phase waits for that many arrivals more, so that the count of
    `mbarrier_init` leaves them out; all threads do so before one of them waits.

    C1: the handle shows one i64.

    ```mlir
    hk_nv.mbarrier_arrive_copies %bar increment : !hk.memdesc<1xi64, #shared>
    ```
  }];
  let arguments = (ins HkNv_ChangedMbarrier:$barrier, UnitAttr:$increment);
  let assemblyFormat = "$barrier (`increment` $increment^)? attr-dict `:` qualified(type($barrier))";
}

def HkNv_MbarrierWaitOp : HkNv_MbarrierOp<"mbarrier_wait", [AttrSizedOperandSegments]> {
  let summary = "Wait until a phase of an mbarrier is complete";
  let description = [{
    Every thread waits until the phase `phase`, of which only the parity counts, is complete: the one that is current,
    or the one before. What was done before the arrivals is then visible to it, and what asynchronous copies brought. Not
    where `pred` is false. `deps` is memory that is used until then.

    C1: the handle shows one i64.

    ```mlir
    hk_nv.mbarrier_wait %bar, %phase pred %more deps %tile : !hk.memdesc<1xi64, #shared>, !hk.memdesc<64x64xf16, #tile>
    ```
  }];
  let arguments = (ins Arg<HK_MemDesc, "", [MemRead<HK_SharedMemory>]>:$barrier, I32:$phase, Optional<I1>:$pred,
    Variadic<HK_MemDesc>:$deps);
  let assemblyFormat = [{
    $barrier `,` $phase (`pred` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($deps))^)?
  }];
}

def HkNv_FenceMbarrierInitOp : HkNv_Op<"fence_mbarrier_init", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Make the initialisations of mbarriers visible to the other blocks of a cluster";
  let description = [{
    By the thread that has made them. On Hopper only. (Checked in the lowering.)

    ```mlir
    hk_nv.fence_mbarrier_init
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
