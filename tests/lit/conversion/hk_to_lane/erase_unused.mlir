// RUN: hocket-opt %s --hocket-erase-unused | FileCheck %s

// Unused addresses, and operations that only they use, are erased; side effects stay.
// CHECK-LABEL: llvm.func @addresses
llvm.func @addresses(%p: !llvm.ptr<1>, %i: i32, %v: f32) {
  // CHECK-NEXT: %[[Q:.+]] = llvm.getelementptr %arg0[%arg1]
  // CHECK-NEXT: lane.store %[[Q]], %arg2
  // CHECK-NEXT: llvm.return
  %one = llvm.mlir.constant(1 : i32) : i32
  %next = llvm.add %i, %one : i32
  %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %unused = llvm.getelementptr %p[%next] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  lane.store %q, %v : !llvm.ptr<1>, f32
  llvm.return
}

// Unused loads are erased, too, unless they are volatile.
// CHECK-LABEL: llvm.func @loads
llvm.func @loads(%p: !llvm.ptr<1>) {
  // CHECK-NEXT: lane.load %arg0 volatile
  // CHECK-NEXT: llvm.return
  %0 = lane.load %p : !llvm.ptr<1> -> f32
  %1 = lane.load %p volatile : !llvm.ptr<1> -> f32
  llvm.return
}
