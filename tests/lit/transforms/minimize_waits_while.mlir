// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s --implicit-check-not=_mma_wait

// A loop whose end is decided as it runs (scf.while) keeps registers as scf.for does: a product that begins anew in
// each iteration goes on in those that the one before has left, if nothing needs them any more.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!ptrs = tensor<64x64x!hk.ptr<f32>, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: @used_in_the_next_iteration(
// CHECK: scf.while
// CHECK: do {
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: hk.store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
// CHECK: return
func.func @used_in_the_next_iteration(%s: !smem, %n: i32, %p: !ptrs) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r:2 = scf.while (%i = %c0, %acc = %zero) : (i32, !acc) -> (!acc, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %acc, %i : !acc, i32
  } do {
  ^bb0(%acc: !acc, %i: i32):
    hk.store %p, %acc : !ptrs, !acc
    %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %d : i32, !acc
  }
  return
}

// What the iteration before has left is needed after the product has begun: it would have to be copied.
// CHECK-LABEL: @used_after_the_next_one_began(
// CHECK: do {
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk.store
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: scf.yield
// CHECK: return
func.func @used_after_the_next_one_began(%s: !smem, %n: i32, %p: !ptrs) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %r:2 = scf.while (%i = %c0, %acc = %zero) : (i32, !acc) -> (!acc, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %acc, %i : !acc, i32
  } do {
  ^bb0(%acc: !acc, %i: i32):
    %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    hk.store %p, %acc : !ptrs, !acc
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %d : i32, !acc
  }
  return
}

}
