// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s --implicit-check-not=_mma_wait

// An scf.while loop keeps accumulators in registers like scf.for: a wgmma that starts from zero in each iteration
// reuses the registers of the previous one, if their value is dead.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!ptrs = tensor<64x64x!hk.ptr<f32>, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
!flat = !hk.memdesc<64x64xf16, #flat>

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

// The previous result is still needed after the wgmma has started: it would have to be copied.
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

// An iteration that leaves the loop commits nothing, and no iteration follows it: the first slot is two groups old at
// each load.
// CHECK-LABEL: @leaves_before_the_copy(
// CHECK: do {
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.local_load
// CHECK: return
func.func @leaves_before_the_copy(%q: tensor<64x64x!hk.ptr<f16>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = hk.local_alloc : () -> !hk.memdesc<3x64x64xf16, #flat>
  %first = hk.memdesc_index %ring[%c0] : !hk.memdesc<3x64x64xf16, #flat> -> !flat
  %second = hk.memdesc_index %ring[%c1] : !hk.memdesc<3x64x64xf16, #flat> -> !flat
  hk.async_copy_to_shared %q, %first : tensor<64x64x!hk.ptr<f16>, #rows> -> !flat
  hk.async_copy_to_shared %q, %second : tensor<64x64x!hk.ptr<f16>, #rows> -> !flat
  %enters = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.while (%more = %enters, %k = %c0) : (i1, i32) -> i32 {
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %leaves = arith.cmpi eq, %k, %c3 : i32
    scf.if %leaves {
    } else {
      %slot = arith.remsi %k, %c3 : i32
      %tile = hk.memdesc_index %ring[%slot] : !hk.memdesc<3x64x64xf16, #flat> -> !flat
      %x = hk.local_load %tile : !flat -> tensor<64x64xf16, #rows>
      %ahead = arith.addi %k, %c2 : i32
      %free = arith.remsi %ahead, %c3 : i32
      %next_tile = hk.memdesc_index %ring[%free] : !hk.memdesc<3x64x64xf16, #flat> -> !flat
      hk.async_copy_to_shared %q, %next_tile : tensor<64x64x!hk.ptr<f16>, #rows> -> !flat
    }
    %next = arith.addi %k, %c1 : i32
    %in_range = arith.cmpi slt, %next, %n : i32
    %stays = arith.cmpi ne, %k, %c3 : i32
    %goes_on = arith.andi %in_range, %stays : i1
    scf.yield %goes_on, %next : i1, i32
  }
  return
}

}
