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

// T9
// CHECK-LABEL: @two_accumulators_in_turns(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 1 : i32}
// CHECK: hk.store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 1 : i32}
// CHECK: hk.store
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: hk.store
// CHECK: return
func.func @two_accumulators_in_turns(%s: !smem, %n: i32, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %first = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc0 = %first) -> !acc : i32 {
    %d1 = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    hk.store %p, %acc0 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
    %d0 = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    hk.store %p, %d1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
    scf.yield %d0 : !acc
  }
  hk.store %p, %last : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// T12
// CHECK-LABEL: @in_one_branch(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: scf.if
// CHECK: hk.store
// CHECK: return
func.func @in_one_branch(%s: !smem, %c: i1, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.if %c {
    hk.store %p, %d : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  }
  return
}

// T13
// CHECK-LABEL: @in_both_branches(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: scf.if
// CHECK: hk.store
// CHECK: else
// CHECK: arith.negf
// CHECK: hk.store
// CHECK: return
func.func @in_both_branches(%s: !smem, %c: i1, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.if %c {
    hk.store %p, %d : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  } else {
    %e = arith.negf %d : !acc
    hk.store %p, %e : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  }
  return
}

// T15
// CHECK-LABEL: @epilogue_in_an_outer_loop(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
// CHECK: hk.local_store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: scf.for
// CHECK: hk.store
// CHECK: return
func.func @epilogue_in_an_outer_loop(%n: i32, %x: !half, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  scf.for %m = %c0 to %n step %c1 : i32 {
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
    scf.for %e = %c0 to %n step %c1 : i32 {
      hk.store %p, %d : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
    }
  }
  return
}

// T16
// CHECK-LABEL: @used_in_the_next_iteration(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: hk.store
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: hk.store
// CHECK: return
func.func @used_in_the_next_iteration(%s: !smem, %n: i32, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%prev = %zero) -> !acc : i32 {
    %isLater = arith.cmpi sgt, %k, %c0 : i32
    scf.if %isLater {
      hk.store %p, %prev : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
    }
    %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    scf.yield %d : !acc
  }
  hk.store %p, %last : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// T19
// CHECK-LABEL: @dead_result(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
// CHECK: return
func.func @dead_result(%s: !smem) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  return
}

// T20
// CHECK-LABEL: @chained_products(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 1 : i32}
// CHECK: math.exp
// CHECK: arith.truncf
// CHECK: hk.convert_layout
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 1 : i32}
// CHECK: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: hk.store
// CHECK: return
func.func @chained_products(%s: !smem, %n: i32, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %first = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  %s1, %o1 = scf.for %k = %c0 to %n step %c1 iter_args(%s0 = %first, %o = %zero) -> (!acc, !acc) : i32 {
    %next = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    %e = math.exp %s0 : !acc
    %h = arith.truncf %e : !acc to !half
    %a = hk.convert_layout %h : !half -> !regs
    %sum = hk_nv.warpgroup_mma %a, %s, %o : !regs, !smem -> !acc
    scf.yield %next, %sum : !acc, !acc
  }
  hk.store %p, %o1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// P is computed while both wgmmas are in flight: two groups.
// CHECK-LABEL: @products_before_a_softmax(
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 1 : i32}
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: math.exp
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK: hk.convert_layout
// CHECK: scf.yield
// CHECK: hk.store
// CHECK: return
func.func @products_before_a_softmax(%s: !smem, %n: i32, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %half = arith.constant dense<0.0> : !regs
  %a1, %o1 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %half, %o = %zero) -> (!regs, !acc) : i32 {
    %next = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
    %sum = hk_nv.warpgroup_mma %a, %s, %o : !regs, !smem -> !acc
    %e0 = math.exp %next : !acc
    %e1 = math.exp %e0 : !acc
    %e2 = math.exp %e1 : !acc
    %e3 = math.exp %e2 : !acc
    %e4 = math.exp %e3 : !acc
    %e5 = math.exp %e4 : !acc
    %e6 = math.exp %e5 : !acc
    %e7 = math.exp %e6 : !acc
    %scaled = arith.mulf %sum, %e7 : !acc
    %h = arith.truncf %e7 : !acc to !half
    %b = hk.convert_layout %h : !half -> !regs
    scf.yield %b, %scaled : !regs, !acc
  }
  hk.store %p, %o1 : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// T14
// CHECK-LABEL: @in_a_branch_and_after_it(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK-NEXT: scf.if
// CHECK: return
func.func @in_a_branch_and_after_it(%s: !smem, %c: i1, %p: tensor<64x64x!hk.ptr<f32>, #wgmma>) {
  %zero = arith.constant dense<0.0> : !acc
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  scf.if %c {
    hk.store %p, %d : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  }
  hk.store %p, %d : tensor<64x64x!hk.ptr<f32>, #wgmma>, !acc
  return
}

// T17: a wait for a bulk store does not cover wgmmas.
// CHECK-LABEL: @two_kinds(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.tma_store
// CHECK-NEXT: hk_nv.tma_store_wait
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK-NEXT: arith.negf
func.func @two_kinds(%s: !smem, %desc: !hk_nv.tensor_desc<64x64xf16, #shared>, %x: !half) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %tile = hk.local_alloc : () -> !smem
  hk.local_store %x, %tile : !half -> !smem
  %d = hk_nv.warpgroup_mma %s, %s, %zero : !smem, !smem -> !acc
  hk_nv.tma_store %tile, %desc[%c0, %c0] : !smem -> !hk_nv.tensor_desc<64x64xf16, #shared>
  hk_nv.tma_store_wait read_only {outstanding = 0 : i32}
  hk.local_store %x, %tile : !half -> !smem
  %r = arith.negf %d : !acc
  return %r : !acc
}

// T8: the released slot is that of the previous step, so that step's wgmma must be complete, and the one of this step
// may stay in flight.
// CHECK-LABEL: @releases_the_slot_of_the_step_before(
// CHECK: hk.warp_specialize
// CHECK: scf.for
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK-NEXT: scf.yield
// CHECK: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK-NEXT: hk.warp_yield
func.func @releases_the_slot_of_the_step_before(%n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %empty = hk.local_alloc : () -> !bars
  %d = hk.warp_specialize -> !acc {
    %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
      %slot = arith.remsi %k, %c4 : i32
      %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
      %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
      %ahead = arith.addi %k, %c3 : i32
      %before = arith.remsi %ahead, %c4 : i32
      %e = hk.memdesc_index %empty[%before] : !bars -> !bar
      hk_nv.mbarrier_arrive %e, 1 : !bar
      scf.yield %y : !acc
    }
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
