// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-convert-lane-to-nvvm | FileCheck %s

// An LLVM intrinsic replaces the operation, which would become inline assembly.

// CHECK-LABEL: llvm.func @arrive
llvm.func @arrive(%barrier: i32, %threads: i32) {
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%{{.+}}, %{{.+}}) : (i32, i32) -> ()
  nvvm.barrier.arrive id = %barrier number_of_threads = %threads
  llvm.return
}

// A barrier follows a wait for copies anyway; its operands are computed in between.
// CHECK-LABEL: llvm.func @constants_of_the_barrier
llvm.func @constants_of_the_barrier() {
  // CHECK-NEXT: nvvm.cp.async.wait.group 0
  // CHECK-NOT: nvvm.bar.warp.sync
  // CHECK: nvvm.barrier id
  lane.async_wait_group {outstanding = 0 : i32}
  %barrier = llvm.mlir.constant(2 : i32) : i32
  %threads = llvm.mlir.constant(256 : i32) : i32
  nvvm.barrier id = %barrier number_of_threads = %threads
  llvm.return
}

// -----

llvm.func @no_number(%threads: i32) {
  // expected-error @below {{has no barrier to arrive at}}
  nvvm.barrier.arrive number_of_threads = %threads
  llvm.return
}

// -----

// Warps reach the barrier of all partitions from different program points.
// CHECK-LABEL: llvm.func @barriers
llvm.func @barriers() {
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  %one = llvm.mlir.constant(1 : i32) : i32
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  %two = llvm.mlir.constant(2 : i32) : i32
  // CHECK: %[[ALL:.+]] = llvm.mlir.constant(256 : i32)
  %all = llvm.mlir.constant(256 : i32) : i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.count"(%[[ONE]], %[[ALL]])
  nvvm.barrier id = %one number_of_threads = %all
  // CHECK: nvvm.barrier id = %[[TWO]] number_of_threads = %[[ALL]]
  nvvm.barrier id = %two number_of_threads = %all
  llvm.return
}
