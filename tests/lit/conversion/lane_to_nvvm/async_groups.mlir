// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// Groups of copies are groups of cp.async. A wait makes its own copies visible to a lane; a barrier of the warp makes
// the copies of the other lanes visible.

// CHECK-LABEL: llvm.func @groups
llvm.func @groups() {
  // CHECK-NEXT: nvvm.cp.async.commit.group
  // CHECK-NEXT: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: %[[ALL:.+]] = llvm.mlir.constant(-1 : i32)
  // CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
  lane.async_commit_group
  lane.async_wait_group {outstanding = 1 : i32}
  llvm.return
}

// CHECK-LABEL: llvm.func @barrier_follows
llvm.func @barrier_follows() {
  // CHECK-NEXT: nvvm.cp.async.wait.group 0
  // CHECK-NEXT: nvvm.barrier0
  lane.async_wait_group {outstanding = 0 : i32}
  nvvm.barrier0
  llvm.return
}
