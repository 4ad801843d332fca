// The passes of conversion/lane_to_rocdl, in the order in which the pipeline runs them.
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD

include "mlir/Pass/PassBase.td"

def WriteMessages : Pass<"hocket-write-messages", "::mlir::ModuleOp"> {
  let summary = "Replace prints and failed assertions by writes to host memory";
  let description = [{
    Applies to modules with `hk.writes_messages`. AMD's driver does not support printing in kernels. The kernel gets an
    implicit argument, the buffer of `support/MessageBuffer.h`, and writes the printed numbers to it. The texts are
    stored in the attribute `hk.messages`.

    ```mlir
    lane.print "x: {u}" [] of %x : i32 pred %p   // if %p: %n = lane.atomic_rmw add reserves a record
                                                 // if it fits: lane.store of the site, thread, block and %x
    lane.assert %c, "m"                          // if %c is false: the same, with "m"; then lane.assert %c
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def LeaveCopiesInFlight : Pass<"hocket-leave-copies-in-flight", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep the back end from waiting for copies into LDS";
  let description = [{
    In a kernel that copies into LDS, the pass adds alias scopes that separate copies from other accesses of LDS, and
    changes fences of LDS to a scope at which the back end does not wait for vector memory instructions.

    ```mlir
    llvm.fence syncscope("workgroup") release   // release for "global", then syncscope("agent") release for "local"
    ```
  }];
}

def ShareBranches : Pass<"hocket-share-branches", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Merge the branches of many adjacent masked stores and atomics";
  let description = [{
    In a function with more than `above` masked accesses, the pass moves accesses that have the same predicate, or come
    from the same statement, into one basic block. A masked-off access in this block is made harmless: an atomic
    operation uses its neutral element, and a store repeats another store of the block. It is an error if a function has
    more than `most` masks.

    ```mlir
    lane.store %v, %p, pred %a : ...  // llvm.cond_br (llvm.or %a, %b): %r = llvm.select %a, %p, %q; %x = ...
    lane.store %w, %q, pred %b : ...  // lane.store (llvm.select %a, %v, %x), %r; lane.store (llvm.select %b, %w, %x), ...
    ```
  }];
  let options = [
    Option<"above", "above", "unsigned", "512", "maximum number of masked accesses of an unchanged function">,
    Option<"most", "most", "unsigned", "8192", "maximum number of masks of a function; more are an error">
  ];
}

def WaitAtReleases : Pass<"hocket-wait-at-releases", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Insert s_waitcnt after release fences in loops";
  let description = [{
    LLVM can delete the s_waitcnt of a release fence in a loop. The pass inserts an explicit s_waitcnt, which LLVM never
    deletes, after each release fence. An atomic operation with release semantics is replaced by a release fence and a
    relaxed operation.

    ```mlir
    llvm.fence syncscope("workgroup") release   // kept, then rocdl.s.waitcnt 49279 (lgkmcnt 0)
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def ExpandAsyncGroups : Pass<"hocket-expand-async-groups", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Expand waits for copy groups to waits for a counter";
  let description = [{
    The hardware counts copies in flight and has no commit groups. A wait for groups is replaced by an s_waitcnt with
    the number of copies that can be in flight on every path, and a commit by a scheduling barrier that later copies
    cannot cross.

    ```mlir
    lane.async_commit_group                        // rocdl.sched.barrier 1998
    lane.async_wait_group {outstanding = 1 : i32}  // rocdl.s.waitcnt 3954 (vmcnt 2) between fences of the wave
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def ConvertLaneToRocdl : Pass<"hocket-convert-lane-to-rocdl", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Expand lane operations to LLVM for AMDGPU";
  let description = [{
    Each lane operation is replaced by operations that AMD's back end supports. A predicated store or atomic is put into
    a branch. A predicated load becomes a load from a selected address: lanes whose predicate is false load from memory
    that is always readable.

    ```mlir
    %v = lane.load %p, pred %c, other %o : ... // %q = llvm.select %c, %p, %readable; %w = llvm.load %q;
                                               // %v = llvm.select %c, %w, %o
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

#endif
