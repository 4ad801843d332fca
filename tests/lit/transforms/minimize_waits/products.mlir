// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s --implicit-check-not=_mma_wait --implicit-check-not=group_goes_on

// wgmmas without waits in the program. Each wgmma is a group, unless the next one continues its accumulator. T1 to T20
// are the test cases of asynchronous waits.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#a = #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 2>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#words = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!acc = tensor<64x64xf32, #wgmma>
!half = tensor<64x64xf16, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>
!ring = !hk.memdesc<4x64x64xf16, #shared>
!regs = tensor<64x64xf16, #a>
!bars = !hk.memdesc<4x1xi64, #words>
!bar = !hk.memdesc<1xi64, #words>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// T1
// CHECK-LABEL: @one_product_and_an_epilogue(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: return
func.func @one_product_and_an_epilogue(%s: !smem, %bias: !acc) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %w = hk_nv.warpgroup_mma_wait %d implied {outstanding = 0 : i32} : !acc
  %b = arith.addf %w, %bias : !acc
  %r = arith.maximumf %b, %zero : !acc
  return %r : !acc
}

// T2
// CHECK-LABEL: @one_after_the_other(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.negf
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.negf
// CHECK: return
func.func @one_after_the_other(%s: !smem) -> (!acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %r = arith.negf %d : !acc
  %e = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %q = arith.negf %e : !acc
  return %r, %q : !acc, !acc
}

// T3
// CHECK-LABEL: @two_products_in_one_loop(
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 3 : i32}
// CHECK: hk.local_store
// CHECK: hk_nv.warpgroup_mma {{.*}}{group_goes_on}
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}}, %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.truncf
// CHECK: hk.store
// CHECK: arith.negf
// CHECK: arith.truncf
// CHECK: hk.store
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK: hk.store
// CHECK: return
func.func @two_products_in_one_loop(%n: i32, %p: tensor<64x64x!hk.ptr<f16>, #wgmma>, %x: !half) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = arith.constant dense<0.0> : !acc
  %a = hk.local_alloc : () -> !ring
  %d1, %d2 = scf.for %k = %c0 to %n step %c1 iter_args(%x1 = %zero, %x2 = %other) -> (!acc, !acc) : i32 {
    %slot = arith.remsi %k, %c4 : i32
    %t = hk.memdesc_index %a[%slot] : !ring -> !smem
    hk.local_store %x, %t : !half -> !smem
    %y1 = hk_nv.warpgroup_mma %t, %t, %x1 : !smem, !smem -> !acc
    %y2 = hk_nv.warpgroup_mma %t, %t, %x2 : !smem, !smem -> !acc
    scf.yield %y1, %y2 : !acc, !acc
  }
  %h1 = arith.truncf %d1 : !acc to !half
  hk.store %p, %h1 : tensor<64x64x!hk.ptr<f16>, #wgmma>, !half
  %s1 = arith.negf %d1 : !acc
  %h2 = arith.truncf %d2 : !acc to !half
  hk.store %p, %h2 : tensor<64x64x!hk.ptr<f16>, #wgmma>, !half
  %m = arith.mulf %s1, %d2 : !acc
  %hm = arith.truncf %m : !acc to !half
  hk.store %p, %hm : tensor<64x64x!hk.ptr<f16>, #wgmma>, !half
  return
}

// T4
// CHECK-LABEL: @two_products_without_a_loop(
// CHECK: hk_nv.warpgroup_mma {{.*}}{group_goes_on}
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}}, %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.negf
// CHECK: arith.negf
// CHECK: return
func.func @two_products_without_a_loop(%s: !smem) -> (!acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %r = arith.negf %d : !acc
  %q = arith.negf %e : !acc
  return %r, %q : !acc, !acc
}

// T5
// CHECK-LABEL: @used_in_an_epilogue_loop(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: scf.for
// CHECK: arith.negf
// CHECK: hk.store
// CHECK: arith.negf
// CHECK: hk.store
// CHECK: return
func.func @used_in_an_epilogue_loop(%s: !smem, %n: i32, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.for %k = %c0 to %n step %c1 : i32 {
    %r = arith.negf %d : !acc
    hk.store %p, %r : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  }
  %q = arith.negf %d : !acc
  hk.store %p, %q : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// T6
// CHECK-LABEL: @memory_that_is_refilled(
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
// CHECK: hk.local_store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.negf
// CHECK: return
func.func @memory_that_is_refilled(%n: i32, %x: !half) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %t = hk.local_alloc : () -> !smem
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    hk.local_store %x, %t : !half -> !smem
    %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
    scf.yield %y : !acc
  }
  %r = arith.negf %d : !acc
  return %r : !acc
}

// T7
// CHECK-LABEL: @ring_of_four_two_ahead(
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
// CHECK: hk.local_store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.negf
// CHECK: return
func.func @ring_of_four_two_ahead(%n: i32, %x: !half) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %ahead = arith.addi %k, %c2 : i32
    %next = arith.remsi %ahead, %c4 : i32
    %slot = arith.remsi %k, %c4 : i32
    %w = hk.memdesc_index %ring[%next] : !ring -> !smem
    hk.local_store %x, %w : !half -> !smem
    %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
    %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
    scf.yield %y : !acc
  }
  %r = arith.negf %d : !acc
  return %r : !acc
}
}
