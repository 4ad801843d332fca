// The passes of conversion/lane_to_rocdl, in the order in which the pipeline runs them.
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_TD

include "mlir/Pass/PassBase.td"

def WriteMessages : Pass<"hocket-write-messages", "::mlir::ModuleOp"> {
  let summary = "Turn prints and failing assertions into writes to memory that the host reads";
  let description = [{
    Of modules with `hk.writes_messages`. AMD's driver prints nothing for kernels: they get an implicit argument, the
    buffer of `support/MessageBuffer.h`. The texts become `hk.messages`, and the numbers are written.

    ```mlir
    lane.print "x: {u}" [] of %x : i32 pred %p   // where %p: %n = lane.atomic_rmw add (4 words)
                                                 // where there is room: lane.store of site, thread, block, %x
    lane.assert %c, "m"                          // the same where %c is false; then lane.assert %c, "m"
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def LeaveCopiesInFlight : Pass<"hocket-leave-copies-in-flight", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep the back end from waiting for copies into LDS on its own";
  let description = [{
    In a kernel that copies into LDS, alias scopes tell copies from other accesses of LDS, and fences of LDS get a scope
    at which the back end does not wait for vector memory.

    ```mlir
    llvm.fence syncscope("workgroup") release   // the same for "global", then syncscope("agent") release for "local"
    ```
  }];
}

def ShareBranches : Pass<"hocket-share-branches", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Let neighbouring masked stores and atomics share a branch where there are many";
  let description = [{
    In a function with more masked accesses than `above`, those under one predicate, or of one statement, go into one
    block. What is masked off does there what changes nothing: an atomic operation with its neutral element, or a store
    the same as its neighbour. More than `most` masks are an error.

    ```mlir
    lane.store %v, %p, pred %a : ..   // llvm.cond_br (llvm.or %a, %b): %r = llvm.select %a, %p, %q; %x = ..
    lane.store %w, %q, pred %b : ..   // lane.store (llvm.select %a, %v, %x), %r; lane.store (llvm.select %b, %w, %x), ..
    ```
  }];
  let options = [
    Option<"above", "above", "unsigned", "512", "leave functions with so many masked accesses alone">,
    Option<"most", "most", "unsigned", "8192", "refuse functions with more masks">
  ];
}

def WaitAtReleases : Pass<"hocket-wait-at-releases", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Make releases in loops wait, even where LLVM may forget to";
  let description = [{
    A release fence in a loop is followed by the s_waitcnt that it stands for; an atomic operation with release semantics
    becomes such a fence and a weaker operation.

    ```mlir
    llvm.fence syncscope("workgroup") release   // the same, then rocdl.s.waitcnt 49279 (lgkmcnt 0)
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def ExpandAsyncGroups : Pass<"hocket-expand-async-groups", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Turn waits for groups of copies into waits for a counter";
  let description = [{
    The hardware counts copies in flight and has no groups: a wait for groups becomes an s_waitcnt of the number of
    copies that may still be in flight on every path, and a commit becomes a border that later copies do not cross.

    ```mlir
    lane.async_commit_group                        // rocdl.sched.barrier 1998
    lane.async_wait_group {outstanding = 1 : i32}  // rocdl.s.waitcnt 3954 (vmcnt 2) between fences of the wave
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

def ConvertLaneToRocdl : Pass<"hocket-convert-lane-to-rocdl", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Expand the accesses of a lane into LLVM for AMDGPU";
  let description = [{
    Each lane operation is replaced by what AMD's back end understands; under a predicate, accesses become branches or
    read memory that is always readable.

    ```mlir
    %v = lane.load %p where %c other %o : ..   // %q = llvm.select %c, %p, %readable; %w = llvm.load %q;
                                               // %v = llvm.select %c, %w, %o
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

#endif
