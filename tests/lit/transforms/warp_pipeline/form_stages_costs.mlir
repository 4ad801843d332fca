// RUN: hocket-opt %s --split-input-file --hocket-form-stages --verify-diagnostics | FileCheck %s
//
// Operations that cost no time in the model, and the stages of operations that are not nodes of the graph.

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

// The estimate includes neither the operations of a branch that a vote decides, nor the integer division, whose result is
// the same in each iteration. The addition to the offset is in the stage with the last use of the old offset.

// CHECK-LABEL: @rare_branch
// CHECK: scf.for
// CHECK-NEXT: hk.stage_begin "shared"
// CHECK: hk.local_load
// CHECK: hk_amd.buffer_load_to_shared
// CHECK: %[[NEXT:.+]] = arith.addi %{{.+}}, %c64_i32
// CHECK-NEXT: hk.stage_end
// CHECK: hk.stage_begin "matrix"
// CHECK-NEXT: hk_amd.mfma
// CHECK: scf.yield {{.*}}, %[[NEXT]]
func.func @rare_branch(%p: !hk.ptr<f16>, %offsets: tensor<256x32xi32, #blocked>, %n: i32, %zero: !acc,
                       %x0: tensor<256x256xi32, #mfma>, %flags: tensor<256x256xi1, #mfma>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %sevens = arith.constant dense<7> : tensor<256x256xi32, #mfma>
  %ring = hk.local_alloc : () -> !ring
  %tile_b = hk.local_alloc : () -> !tile_b
  %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
  hk_amd.buffer_load_to_shared %p[%offsets], %first : !hk.ptr<f16>, tensor<256x32xi32, #blocked> -> !tile
  hk.async_commit_group
  %second = hk.memdesc_index %ring[%c1] : !ring -> !tile
  hk_amd.buffer_load_to_shared %p[%offsets], %second : !hk.ptr<f16>, tensor<256x32xi32, #blocked> -> !tile
  hk.async_commit_group
  // expected-remark @below {{formed 4 stages: about 1144 clocks an iteration, instead of 1676}}
  %d:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (!acc, i32) : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    %now = arith.remsi %i, %c3 : i32
    %slot = hk.memdesc_index %ring[%now] : !ring -> !tile
    %x = hk.local_load %slot : !tile -> tensor<256x32xf16, #a>
    %y = hk.local_load %tile_b : !tile_b -> tensor<32x256xf16, #b>
    %k = arith.addi %i, %c2 : i32
    %next = arith.remsi %k, %c3 : i32
    %free = hk.memdesc_index %ring[%next] : !ring -> !tile
    %from = hk.addptr %p, %at : !hk.ptr<f16>, i32
    hk_amd.buffer_load_to_shared %from[%offsets], %free : !hk.ptr<f16>, tensor<256x32xi32, #blocked> -> !tile
    hk.async_commit_group
    %at_next = arith.addi %at, %c64 : i32
    %r = hk_amd.mfma %x, %y, %acc : tensor<256x32xf16, #a>, tensor<32x256xf16, #b> -> !acc
    %quotient = arith.divsi %x0, %sevens : tensor<256x256xi32, #mfma>
    %term = arith.sitofp %quotient : tensor<256x256xi32, #mfma> to !acc
    %rare = hk.any_in_warp %flags : tensor<256x256xi1, #mfma>
    %s = scf.if %rare -> (!acc) {
      %t = arith.addf %r, %term : !acc
      scf.yield %t : !acc
    } else {
      scf.yield %r : !acc
    }
    scf.yield %s, %at_next : !acc, i32
  } {hk.auto_stages}
  return %d#0 : !acc
}
}
