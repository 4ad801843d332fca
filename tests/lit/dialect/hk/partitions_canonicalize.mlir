// RUN: hocket-opt %s --canonicalize | FileCheck %s

// A captured constant becomes one of the worker's own, and what a worker makes no use of is not captured. Constants
// that appear in a worker stay there: it is not for the other warps to make them.
// CHECK-LABEL: @captures
func.func @captures(%x: !hk.ptr<i32>, %unused: i32, %n: i32) {
  %five = arith.constant 5 : i32
  // CHECK-NEXT: hk.warp_specialize {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // CHECK: hk.worker "w"(%arg0, %arg2 : !hk.ptr<i32>, i32) num_warps = 4 {
    hk.worker "w"(%x, %five, %unused, %n : !hk.ptr<i32>, i32, i32, i32) num_warps = 4 {
    // CHECK-NEXT: ^bb0(%[[X:.+]]: !hk.ptr<i32>, %[[N:.+]]: i32):
    ^bb0(%y: !hk.ptr<i32>, %k: i32, %m: i32, %o: i32):
      // CHECK-NEXT: %[[SIX:.+]] = arith.constant 6 : i32
      %one = arith.constant 1 : i32
      %six = arith.addi %k, %one : i32
      // CHECK-NEXT: %[[S:.+]] = arith.addi %[[N]], %[[SIX]] : i32
      %s = arith.addi %o, %six : i32
      // CHECK-NEXT: hk.store %[[X]], %[[S]]
      hk.store %y, %s : !hk.ptr<i32>, i32
    }
  }
  return
}
