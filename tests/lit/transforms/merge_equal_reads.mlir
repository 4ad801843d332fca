// RUN: hocket-opt %s --hocket-merge-equal-reads | FileCheck %s

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {

// Operations that only read, also in a branch, may lie between.
// CHECK-LABEL: @repeated(
// CHECK: %[[A:.+]] = hk.load %arg0
// CHECK-NEXT: hk.load %arg1
// CHECK-NEXT: scf.if
// CHECK-NEXT: hk.load %arg0
// CHECK: arith.addi %[[A]], %[[A]]
func.func @repeated(%p: !hk.ptr<i32>, %q: !hk.ptr<i32>, %c: i1) -> i32 {
  %a = hk.load %p : !hk.ptr<i32> -> i32
  %other = hk.load %q : !hk.ptr<i32> -> i32
  %either = scf.if %c -> i32 {
    %within = hk.load %p : !hk.ptr<i32> -> i32
    scf.yield %within : i32
  } else {
    scf.yield %other : i32
  }
  %b = hk.load %p : !hk.ptr<i32> -> i32
  %sum = arith.addi %a, %b : i32
  %all = arith.addi %sum, %either : i32
  return %all : i32
}

// The destination of a store is unknown.
// CHECK-LABEL: @stored_between(
// CHECK-COUNT-2: hk.load %arg0
func.func @stored_between(%p: !hk.ptr<i32>, %q: !hk.ptr<i32>) -> i32 {
  %a = hk.load %p : !hk.ptr<i32> -> i32
  hk.store %q, %a : !hk.ptr<i32>, i32
  %b = hk.load %p : !hk.ptr<i32> -> i32
  %sum = arith.addi %a, %b : i32
  return %sum : i32
}

// A store in a loop also prevents merging, and so does a barrier.
// CHECK-LABEL: @stored_in_a_loop(
// CHECK-COUNT-3: hk.load %arg0
func.func @stored_in_a_loop(%p: !hk.ptr<i32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = hk.load %p : !hk.ptr<i32> -> i32
  scf.for %i = %zero to %n step %one : i32 {
    hk.store %p, %i : !hk.ptr<i32>, i32
  }
  %b = hk.load %p : !hk.ptr<i32> -> i32
  hk.barrier
  %c = hk.load %p : !hk.ptr<i32> -> i32
  %sum = arith.addi %a, %b : i32
  %all = arith.addi %sum, %c : i32
  return %all : i32
}

}
