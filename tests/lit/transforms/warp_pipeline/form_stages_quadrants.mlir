// RUN: hocket-opt %s --hocket-form-stages --verify-diagnostics | FileCheck %s
//
// An MMA with a single step along K is divided along M and N. The buffers are refilled in the iteration that reads them,
// so the copies follow all reads; with parts, some MMAs follow the copies. The loop carries one accumulator for each
// part. hk.stage_choice selects the candidate after the best stages of the undivided loop.

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 4], element_bits = 32, tiles_per_warp = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [32, 2], warps_per_cta = [8, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [8, 1], threads_per_warp = [2, 32], warps_per_cta = [1, 8], order = [0, 1]>
#shared = #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 1, order = [1, 0]>
#shared_b = #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 1, order = [0, 1]>
!ring = !hk.memdesc<2x256x16xf16, #shared>
!tile = !hk.memdesc<256x16xf16, #shared>
!ring_b = !hk.memdesc<2x16x256xf16, #shared_b>
!tile_b = !hk.memdesc<16x256xf16, #shared_b>
!acc = tensor<256x256xf32, #mfma>
!ptrs = tensor<256x16x!hk.ptr<f16>, #rows>
!ptrs_b = tensor<16x256x!hk.ptr<f16>, #columns>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32, hk.stage_choice = 3 : i32} {

// CHECK: hk.stage_reports = ["{{.*\\22mma_parts\\22:\[2,2,1\].*}}"]
// CHECK-LABEL: @gemm
// CHECK-SAME: %[[ZERO:[a-z0-9]+]]: tensor<256x256xf32, #mfma>)
// CHECK: scf.for {{.*}} iter_args(%[[ACC00:[a-z0-9]+]] = %{{.*}}, %[[ACC01:[a-z0-9]+]] = %{{.*}}, %[[ACC10:[a-z0-9]+]] = %{{.*}}, %[[ACC11:[a-z0-9]+]] = %{{.*}}) -> (tensor<128x128xf32
// CHECK: %[[A0:.+]] = hk.memdesc_slice %{{.*}} [0, 0] : {{.*}} -> !hk.memdesc<128x16xf16
// CHECK: %[[X0:.+]] = hk.local_load %[[A0]]
// CHECK: %[[B0:.+]] = hk.memdesc_slice %{{.*}} [0, 0] : {{.*}} -> !hk.memdesc<16x128xf16
// CHECK: %[[Y0:.+]] = hk.local_load %[[B0]]
// CHECK: %[[D00:.+]] = hk_amd.mfma %[[X0]], %[[Y0]], %[[ACC00]]
// CHECK: %[[D01:.+]] = hk_amd.mfma %[[X0]], %[[Y1:.+]], %[[ACC01]]
// CHECK: %[[D11:.+]] = hk_amd.mfma %[[X1:.+]], %[[Y1]], %[[ACC11]]
// CHECK: %[[D10:.+]] = hk_amd.mfma %[[X1]], %[[Y0]], %[[ACC10]]
// CHECK: scf.yield %[[D00]], %[[D01]], %[[D10]], %[[D11]]
// CHECK: hk.join
// CHECK: %[[RESULT:.+]] = hk.convert_layout {{.*}} -> tensor<256x256xf32, #mfma>
// CHECK: return %[[RESULT]]
func.func @gemm(%p: !ptrs, %q: !ptrs_b, %n: i32, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc : () -> !ring
  %ring_b = hk.local_alloc : () -> !ring_b
  %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
  %first_b = hk.memdesc_index %ring_b[%c0] : !ring_b -> !tile_b
  hk.async_copy_to_shared %p, %first : !ptrs -> !tile
  hk.async_copy_to_shared %q, %first_b : !ptrs_b -> !tile_b
  hk.async_commit_group
  %second = hk.memdesc_index %ring[%c1] : !ring -> !tile
  %second_b = hk.memdesc_index %ring_b[%c1] : !ring_b -> !tile_b
  hk.async_copy_to_shared %p, %second : !ptrs -> !tile
  hk.async_copy_to_shared %q, %second_b : !ptrs_b -> !tile_b
  hk.async_commit_group
  // expected-remark @below {{divided each MMA into 2 along M and 2 along N, and formed}}
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    %now = arith.remsi %i, %c2 : i32
    %slot = hk.memdesc_index %ring[%now] : !ring -> !tile
    %slot_b = hk.memdesc_index %ring_b[%now] : !ring_b -> !tile_b
    %x = hk.local_load %slot : !tile -> tensor<256x16xf16, #a>
    %y = hk.local_load %slot_b : !tile_b -> tensor<16x256xf16, #b>
    hk.async_copy_to_shared %p, %slot : !ptrs -> !tile
    hk.async_copy_to_shared %q, %slot_b : !ptrs_b -> !tile_b
    hk.async_commit_group
    %r = hk_amd.mfma %x, %y, %acc : tensor<256x16xf16, #a>, tensor<16x256xf16, #b> -> !acc
    scf.yield %r : !acc
  } {hk.auto_stages}
  return %d : !acc
}
}
