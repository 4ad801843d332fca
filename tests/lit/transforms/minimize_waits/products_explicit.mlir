// RUN: hocket-opt %s --split-input-file --hocket-minimize-waits --verify-diagnostics | FileCheck %s

// wgmmas with explicit waits in the program.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!half = tensor<64x64xf16, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// T6: each iteration waits before the memory is overwritten; nothing is left for the wait after the loop.
// CHECK-LABEL: @waits_after_the_loop_too
func.func @waits_after_the_loop_too(%n: i32, %x: !half) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %t = hk.local_alloc : () -> !smem
  // CHECK: %[[ALL:.+]] = scf.for
  // CHECK: hk_nv.warpgroup_mma %
  // CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  // CHECK: }
  // CHECK-NEXT: %[[READ:.+]] = hk_nv.warpgroup_mma_finished %[[ALL]]
  // CHECK-NEXT: arith.negf %[[READ]]
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    hk.local_store %x, %t : !half -> !smem
    %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
    %w = hk_nv.warpgroup_mma_wait %y {outstanding = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  // expected-remark@+1 {{this wait is not needed: all operations that it waits for are complete, or their results are not used}}
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  %r = arith.negf %e : !acc
  return %r : !acc
}

// One of the two waits is enough for both uses.
// CHECK-LABEL: @waits_at_each_use
func.func @waits_at_each_use(%s: !smem) -> (!acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  // CHECK: %[[BOTH:.+]]:2 = hk_nv.warpgroup_mma_wait %{{.+}}, %{{.+}} {outstanding = 0 : i32}
  // CHECK-NEXT: arith.negf %[[BOTH]]#0
  // CHECK-NEXT: arith.negf %[[BOTH]]#1
  %d1 = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  %r = arith.negf %d1 : !acc
  // expected-remark@+1 {{this wait is not needed: all operations that it waits for are complete, or their results are not used}}
  %e1 = hk_nv.warpgroup_mma_wait %e {outstanding = 0 : i32} : !acc
  %q = arith.negf %e1 : !acc
  return %r, %q : !acc, !acc
}

// CHECK-LABEL: @waits_for_too_much
func.func @waits_for_too_much(%s: !smem, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  // CHECK: hk_nv.warpgroup_mma_wait %{{.+}} {outstanding = 1 : i32}
  // expected-remark@+1 {{this wait may leave 1 group in flight}}
  %d1 = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  hk.store %p, %d1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  %f = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  // CHECK: hk_nv.warpgroup_mma_wait %{{.+}}, %{{.+}} {outstanding = 0 : i32}
  %f1, %e1 = hk_nv.warpgroup_mma_wait %f, %e {outstanding = 0 : i32} : !acc, !acc
  hk.store %p, %f1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  hk.store %p, %e1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}
}

// -----

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>

// The program's waits are kept.
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.keep_waits} {
// CHECK-LABEL: @keeps_waits
func.func @keeps_waits(%s: !smem) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  // CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  // CHECK-NEXT: hk_nv.warpgroup_mma_wait %{{.+}} {outstanding = 0 : i32}
  %d1 = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  %d2 = hk_nv.warpgroup_mma_wait %d1 {outstanding = 0 : i32} : !acc
  %r = arith.negf %d2 : !acc
  return %r : !acc
}
}

// -----

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#words = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!acc = tensor<64x64xf32, #wgmma>
!half = tensor<64x64xf16, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>
!ring = !hk.memdesc<4x64x64xf16, #shared>
!bars = !hk.memdesc<4x1xi64, #words>
!bar = !hk.memdesc<1xi64, #words>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// T8: the wgmma of this step may still read the slot.
func.func @releases_its_slot_too_early(%n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %empty = hk.local_alloc : () -> !bars
  %d = hk.warp_specialize -> !acc {
    %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
      %slot = arith.remsi %k, %c4 : i32
      %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
      %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
      hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
      %e = hk.memdesc_index %empty[%slot] : !bars -> !bar
      // expected-error@+2 {{this lets other warps overwrite memory that the wgmma}}
      // expected-note@+1 {{hint: write acc = warpgroup_mma_wait(0, deps=[acc])}}
      hk_nv.mbarrier_arrive %e, 1 : !bar
      scf.yield %y : !acc
    }
    hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
    hk.warp_yield %all : !acc
  } workers {
    hk.worker "copy"(%n, %ring, %empty : i32, !ring, !bars) num_warps = 4 {
    ^bb0(%m: i32, %r: !ring, %b: !bars):
      %w0 = arith.constant 0 : i32
      %w1 = arith.constant 1 : i32
      %w4 = arith.constant 4 : i32
      %x = arith.constant dense<0.0> : !half
      scf.for %i = %w0 to %m step %w1 : i32 {
        %slot = arith.remsi %i, %w4 : i32
        %e = hk.memdesc_index %b[%slot] : !bars -> !bar
        hk_nv.mbarrier_wait %e, %w0 : !bar
        %t = hk.memdesc_index %r[%slot] : !ring -> !smem
        hk.local_store %x, %t : !half -> !smem
      }
      hk.worker_end
    }
  }
  return %d : !acc
}
}
