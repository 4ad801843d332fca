// The passes of conversion/lane_to_rocdl, in the order in which the pipeline runs them.
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD

include "mlir/Pass/PassBase.td"

def WriteMessages : Pass<"hocket-write-messages", "::mlir::ModuleOp"> {
  let summary = "Replace prints and failing assertions by writes to memory that the host reads";
  let description = [{
    Applies to modules with `hk.writes_messages`. AMD's driver does not print for kernels. The kernel is given an
    implicit argument, the buffer of `support/MessageBuffer.h`. The texts become the attribute `hk.messages`; the kernel
    writes the numbers.

    ```mlir
    lane.print "x: {u}" [] of %x : i32 pred %p   // if %p: %n = lane.atomic_rmw add (4 words)
                                                 // if the record fits: lane.store of site, thread, block, %x
    lane.assert %c, "m"                          // writes if %c is false; then lane.assert %c, "m"
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def LeaveCopiesInFlight : Pass<"hocket-leave-copies-in-flight", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Prevent the back end's own waits for copies into LDS";
  let description = [{
    In a kernel that copies into LDS, the pass adds alias scopes that separate copies from other accesses of LDS, and
    changes fences of LDS to a scope at which the back end does not wait for vector memory.

    ```mlir
    llvm.fence syncscope("workgroup") release   // release for "global", then syncscope("agent") release for "local"
    ```
  }];
}

def ShareBranches : Pass<"hocket-share-branches", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Merge the branches of many adjacent masked stores and atomics";
  let description = [{
    In a function with more masked accesses than `above`, the pass moves accesses with one predicate, or of one
    statement, into one block. A masked-off access in it has no effect: an atomic operation uses its neutral element, and
    a store repeats an adjacent one. More than `most` masks are an error.

    ```mlir
    lane.store %v, %p, pred %a : ...  // llvm.cond_br (llvm.or %a, %b): %r = llvm.select %a, %p, %q; %x = ...
    lane.store %w, %q, pred %b : ...  // lane.store (llvm.select %a, %v, %x), %r; lane.store (llvm.select %b, %w, %x), ...
    ```
  }];
  let options = [
    Option<"above", "above", "unsigned", "512", "number of masked accesses up to which functions are unchanged">,
    Option<"most", "most", "unsigned", "8192", "number of masks above which functions are an error">
  ];
}

def WaitAtReleases : Pass<"hocket-wait-at-releases", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Insert s_waitcnt after release fences in loops";
  let description = [{
    Works around LLVM, which may delete the wait of a release fence in a loop: the pass inserts that s_waitcnt after the
    fence. An atomic operation with release semantics becomes such a fence and a weaker operation.

    ```mlir
    llvm.fence syncscope("workgroup") release   // kept, then rocdl.s.waitcnt 49279 (lgkmcnt 0)
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def ExpandAsyncGroups : Pass<"hocket-expand-async-groups", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Expand waits for copy groups to waits for a counter";
  let description = [{
    The hardware counts copies in flight and has no groups: a wait for groups becomes an s_waitcnt of the number of
    copies that may still be in flight on every path, and a commit becomes a barrier that later copies do not cross.

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
    Each lane operation is replaced by operations that AMD's back end supports. A predicated store or atomic becomes a
    branch; a predicated load reads memory that is always readable where its predicate is false.

    ```mlir
    %v = lane.load %p, pred %c, other %o : ... // %q = llvm.select %c, %p, %readable; %w = llvm.load %q;
                                               // %v = llvm.select %c, %w, %o
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

#endif
