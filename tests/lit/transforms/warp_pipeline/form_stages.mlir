// RUN: hocket-opt %s --split-input-file --hocket-form-stages --verify-diagnostics | FileCheck %s
//
// The stages as markers. Loops of which no stages are formed are in form_stages_refused.mlir.

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 4], element_bits = 32, tiles_per_warp = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [16, 4], warps_per_cta = [8, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 8, per_phase = 2, max_phase = 4, order = [1, 0]>
#shared_b = #hk.swizzled_shared<vec = 8, per_phase = 2, max_phase = 4, order = [0, 1]>
!ring = !hk.memdesc<3x256x32xf16, #shared>
!tile = !hk.memdesc<256x32xf16, #shared>
!tile_b = !hk.memdesc<32x256xf16, #shared_b>
!acc = tensor<256x256xf32, #mfma>
!ptrs = tensor<256x32x!hk.ptr<f16>, #blocked>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// Reads and copies are one stage, MMAs the other. The wait for the tile of the next iteration moves one stage before its
// reads, into the previous iteration; for the first iteration it is repeated before the loop.

// CHECK: module attributes {{.*}}hk.stage_reports = ["{{.*\\22formed\\22:true.*}}"]
// CHECK-LABEL: @gemm
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NEXT: hk.stage_begin "shared" {phase_gap = 1 : i32, priority = 1 : i32}
// CHECK-NEXT: %[[NOW:.+]] = arith.remsi %[[I]]
// CHECK: %[[A:.+]] = hk.local_load
// CHECK: hk.local_load
// CHECK: hk.async_copy_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage_begin "matrix" {priority = 0 : i32}
// CHECK-NEXT: hk_amd.mfma %[[A]]
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: scf.yield
// CHECK-NOT: hk.auto_stages
func.func @gemm(%p: !ptrs, %n: i32, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = hk.local_alloc : () -> !ring
  %tile_b = hk.local_alloc : () -> !tile_b
  %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
  hk.async_copy_to_shared %p, %first : !ptrs -> !tile
  hk.async_commit_group
  %second = hk.memdesc_index %ring[%c1] : !ring -> !tile
  hk.async_copy_to_shared %p, %second : !ptrs -> !tile
  hk.async_commit_group
  // expected-remark @below {{formed 2 stages: about}}
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    %now = arith.remsi %i, %c3 : i32
    %slot = hk.memdesc_index %ring[%now] : !ring -> !tile
    %x = hk.local_load %slot : !tile -> tensor<256x32xf16, #a>
    %y = hk.local_load %tile_b : !tile_b -> tensor<32x256xf16, #b>
    %k = arith.addi %i, %c2 : i32
    %next = arith.remsi %k, %c3 : i32
    %free = hk.memdesc_index %ring[%next] : !ring -> !tile
    hk.async_copy_to_shared %p, %free : !ptrs -> !tile
    hk.async_commit_group
    %r = hk_amd.mfma %x, %y, %acc : tensor<256x32xf16, #a>, tensor<32x256xf16, #b> -> !acc
    scf.yield %r : !acc
  } {hk.auto_stages}
  return %d : !acc
}
}
