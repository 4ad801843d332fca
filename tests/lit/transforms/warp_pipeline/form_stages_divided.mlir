// RUN: hocket-opt %s --hocket-form-stages --verify-diagnostics | FileCheck %s
//
// An MMA is divided along K: with two slots for k-tiles, the copies of the next one, and the wait for them, need stages
// in between.

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 4], element_bits = 32, tiles_per_warp = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 8], warps_per_cta = [8, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [8, 1], threads_per_warp = [8, 8], warps_per_cta = [1, 8], order = [0, 1]>
#shared = #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, order = [1, 0]>
#shared_b = #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, order = [0, 1]>
!ring = !hk.memdesc<2x128x64xf16, #shared>
!tile = !hk.memdesc<128x64xf16, #shared>
!ring_b = !hk.memdesc<2x64x512xf16, #shared_b>
!tile_b = !hk.memdesc<64x512xf16, #shared_b>
!acc = tensor<128x512xf32, #mfma>
!ptrs_b = tensor<64x512x!hk.ptr<f16>, #columns>
!ptrs = tensor<128x64x!hk.ptr<f16>, #blocked>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// CHECK: hk.stage_reports = ["{{.*\\22mma_parts\\22:\[1,1,2\].*}}"]
// CHECK-LABEL: @gemm
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]+]] =
// CHECK-DAG: hk.memdesc_slice %{{.*}} [0, 0] : {{.*}} -> !hk.memdesc<128x32xf16
// CHECK-DAG: hk.memdesc_slice %{{.*}} [0, 0] : {{.*}} -> !hk.memdesc<32x512xf16
// CHECK: %[[FIRST:.+]] = hk_amd.mfma %{{.*}}, %{{.*}}, %[[ACC]] : tensor<128x32xf16
// CHECK: hk.stage_begin
// CHECK-DAG: hk.memdesc_slice %{{.*}} [0, 32]
// CHECK-DAG: hk.memdesc_slice %{{.*}} [32, 0]
// CHECK: hk.stage_begin
// CHECK: %[[LAST:.+]] = hk_amd.mfma %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK: scf.yield %[[LAST]]
func.func @gemm(%p: !ptrs, %q: !ptrs_b, %n: i32, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc : () -> !ring
  %ring_b = hk.local_alloc : () -> !ring_b
  %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
  hk.async_copy_to_shared %p, %first : !ptrs -> !tile
  %first_b = hk.memdesc_index %ring_b[%c0] : !ring_b -> !tile_b
  hk.async_copy_to_shared %q, %first_b : !ptrs_b -> !tile_b
  hk.async_commit_group
  // expected-remark @below {{divided each MMA into 2 along K, and formed 4 stages: about}}
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    %now = arith.remsi %i, %c2 : i32
    %slot = hk.memdesc_index %ring[%now] : !ring -> !tile
    %k = arith.addi %i, %c1 : i32
    %next = arith.remsi %k, %c2 : i32
    %free = hk.memdesc_index %ring[%next] : !ring -> !tile
    hk.async_copy_to_shared %p, %free : !ptrs -> !tile
    %free_b = hk.memdesc_index %ring_b[%next] : !ring_b -> !tile_b
    hk.async_copy_to_shared %q, %free_b : !ptrs_b -> !tile_b
    hk.async_commit_group
    %slot_b = hk.memdesc_index %ring_b[%now] : !ring_b -> !tile_b
    %x = hk.local_load %slot : !tile -> tensor<128x64xf16, #a>
    %y = hk.local_load %slot_b : !tile_b -> tensor<64x512xf16, #b>
    %r = hk_amd.mfma %x, %y, %acc : tensor<128x64xf16, #a>, tensor<64x512xf16, #b> -> !acc
    scf.yield %r : !acc
  } {hk.auto_stages}
  return %d : !acc
}
}
