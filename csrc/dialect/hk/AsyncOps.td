// Groups of asynchronous copies into shared memory.
#ifndef HOCKET_DIALECT_HK_ASYNCOPS_TD
#define HOCKET_DIALECT_HK_ASYNCOPS_TD

include "dialect/hk/HkOpBase.td"

def HK_AsyncCommitGroupOp : HK_Op<"async_commit_group", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Make one group of all asynchronous copies since the last commit";
  let description = [{
    Groups are counted per warp, in program order; a group may be empty. The counter is `hk.copy_groups`.

    ```mlir
    hk.async_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def HK_AsyncWaitGroupOp : HK_Op<"async_wait_group", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` groups of asynchronous copies are unfinished";
  let description = [{
    The newest `outstanding` groups may still be in flight. Orders the copies of the waiting warp only: for what other
    warps copied, the compiler inserts a barrier before the first access after the wait.

    C1: `outstanding` is not negative.

    ```mlir
    hk.async_wait_group {outstanding = 1 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding);
  let assemblyFormat = "attr-dict";
}

#endif
