// The passes of conversion/lane_to_rocdl, in the order in which the pass pipeline runs them.
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
    lane.print "x: {f} of {d}" [%i] of %x, %n : f32, i64 pred %p   // llvm.cond_br %p
                                                                   // %n = lane.atomic_rmw add relaxed sys
                                                                   // llvm.icmp "ule" %n, %last
                                                                   // lane.store
    lane.assert %good, "no"                                        // lane.store
                                                                   // lane.assert %good, "no"
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def LeaveCopiesInFlight : Pass<"hocket-leave-copies-in-flight", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep the back end from waiting for copies into LDS";
  let description = [{
    In a kernel that copies into LDS, the pass adds alias scopes that separate copies from other accesses of LDS, and
    changes fences of LDS to a scope at which the back end does not wait for vector memory instructions. A fence of LDS and
    global memory becomes two fences: one for global memory, in its own scope, and one for LDS.

    ```mlir
    rocdl.global.load.lds %g, %s, 4, 0, 0         // rocdl.global.load.lds %g, %s, 4, 0, 0 {alias_scopes = ...}
    llvm.fence syncscope("workgroup") acquire     // llvm.fence syncscope("workgroup") acquire {llvm.mmra = ...}
                                                  // llvm.fence syncscope("agent") acquire {llvm.mmra = ...}
    %v = llvm.load %s : !llvm.ptr<3> -> f32       // llvm.load %s {alias_scopes = ..., noalias_scopes = ...}
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
    lane.store %p, %v, pred %a : ...       // %q = llvm.getelementptr %p[1]
    %q = llvm.getelementptr %p[1] : ...    // llvm.cond_br %any, ^where, ^after
    lane.store %q, %v, pred %b : ...       // ^where: %either = llvm.select %a, %p, %q
                                           // %first = llvm.select %a, %p, %either
                                           // %second = llvm.select %b, %q, %either
                                           // lane.store %first, %v; lane.store %second, %v
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
    llvm.fence syncscope("workgroup") release      // llvm.fence syncscope("workgroup") release
                                                   // rocdl.s.waitcnt 49279
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
    rocdl.global.load.lds %g, %s, 4, 0, 0
    lane.async_commit_group                         // rocdl.sched.barrier 1998
    rocdl.global.load.lds %g, %s, 4, 0, 0
    rocdl.global.load.lds %g, %s, 4, 0, 0
    lane.async_commit_group                         // rocdl.sched.barrier 1998
    lane.async_wait_group {outstanding = 1 : i32}   // llvm.fence syncscope("wavefront") release
                                                    // rocdl.s.waitcnt 3954
                                                    // llvm.fence syncscope("wavefront") acquire
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
    %v = lane.load %p, pred %c, other %o : ... // %q = llvm.select %c, %p, %readable; %w = llvm.load %q
                                               // %v = llvm.select %c, %w, %o
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect"];
}

#endif
