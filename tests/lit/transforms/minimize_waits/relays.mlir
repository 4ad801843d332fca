// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// A partition that waits for one barrier and then arrives at another relays the arrival at the first one.

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!acc = tensor<64x64xf32, #wgmma>
!half = tensor<64x64xf16, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!ring = !hk.memdesc<4x64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!bars = !hk.memdesc<4x1xi64, #flat>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The arrival releases the buffer of the previous iteration: the wgmma of this iteration stays in flight.
// CHECK-LABEL: @relays_one_slot(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK-NEXT: scf.yield
func.func @relays_one_slot(%n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %done = hk.local_alloc : () -> !bars
  %empty = hk.local_alloc : () -> !bars
  %d = hk.warp_specialize -> !acc {
    %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
      %slot = arith.remsi %k, %c4 : i32
      %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
      %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
      %ahead = arith.addi %k, %c3 : i32
      %before = arith.remsi %ahead, %c4 : i32
      %e = hk.memdesc_index %done[%before] : !bars -> !bar
      hk_nv.mbarrier_arrive %e, 1 : !bar
      scf.yield %y : !acc
    }
    hk.warp_yield %all : !acc
  } workers {
    hk.worker "relay"(%n, %done, %empty : i32, !bars, !bars) num_warps = 4 {
    ^bb0(%m: i32, %f: !bars, %b: !bars):
      %w0 = arith.constant 0 : i32
      %w1 = arith.constant 1 : i32
      %w4 = arith.constant 4 : i32
      scf.for %j = %w0 to %m step %w1 : i32 {
        %slot = arith.remsi %j, %w4 : i32
        %g = hk.memdesc_index %f[%slot] : !bars -> !bar
        hk_nv.mbarrier_wait %g, %w0 : !bar
        %e = hk.memdesc_index %b[%slot] : !bars -> !bar
        hk_nv.mbarrier_arrive %e, 1 : !bar
      }
      hk.worker_end
    }
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

// The relay waits at one index and arrives at another: the arrival may release any buffer of the ring.
// CHECK-LABEL: @relays_another_slot(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {{.*}}{outstanding = 0 : i32}
// CHECK: hk_nv.mbarrier_arrive
// CHECK: scf.yield
func.func @relays_another_slot(%n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %done = hk.local_alloc : () -> !bars
  %empty = hk.local_alloc : () -> !bars
  %d = hk.warp_specialize -> !acc {
    %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
      %slot = arith.remsi %k, %c4 : i32
      %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
      %y = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
      %ahead = arith.addi %k, %c3 : i32
      %before = arith.remsi %ahead, %c4 : i32
      %e = hk.memdesc_index %done[%before] : !bars -> !bar
      hk_nv.mbarrier_arrive %e, 1 : !bar
      scf.yield %y : !acc
    }
    hk.warp_yield %all : !acc
  } workers {
    hk.worker "relay"(%n, %done, %empty : i32, !bars, !bars) num_warps = 4 {
    ^bb0(%m: i32, %f: !bars, %b: !bars):
      %w0 = arith.constant 0 : i32
      %w1 = arith.constant 1 : i32
      %w4 = arith.constant 4 : i32
      scf.for %j = %w0 to %m step %w1 : i32 {
        %slot = arith.remsi %j, %w4 : i32
        %g = hk.memdesc_index %f[%slot] : !bars -> !bar
        hk_nv.mbarrier_wait %g, %w0 : !bar
        %next = arith.addi %j, %w1 : i32
        %other = arith.remsi %next, %w4 : i32
        %e = hk.memdesc_index %b[%other] : !bars -> !bar
        hk_nv.mbarrier_arrive %e, 1 : !bar
      }
      hk.worker_end
    }
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

// The arrival for the reader releases no write of the tile. The wait comes before the arrival that the relay passes on.
// CHECK-LABEL: @told_by_a_relay(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK: hk_nv.warpgroup_mma_wait
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK: hk.worker
func.func @told_by_a_relay(%p: i32) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %read = hk.local_alloc : () -> !bar
  %done = hk.local_alloc : () -> !bar
  %empty = hk.local_alloc : () -> !bar
  %d = hk.warp_specialize -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    %y = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    hk_nv.mbarrier_arrive %read, 1 : !bar
    %more = arith.addf %zero, %zero : !acc // a placed wait would move above arrivals in a row
    hk_nv.mbarrier_arrive %done, 1 : !bar
    hk.warp_yield %y : !acc
  } workers {
    hk.worker "reader"(%a, %read : !smem, !bar) num_warps = 4 {
    ^bb0(%t: !smem, %r: !bar):
      %w0 = arith.constant 0 : i32
      hk_nv.mbarrier_wait %r, %w0 : !bar
      %x = hk.local_load %t : !smem -> !half
      hk.worker_end
    }
    hk.worker "relay"(%done, %empty : !bar, !bar) num_warps = 4 {
    ^bb0(%f: !bar, %e: !bar):
      %w0 = arith.constant 0 : i32
      hk_nv.mbarrier_wait %f, %w0 : !bar
      hk_nv.mbarrier_arrive %e, 1 : !bar
      hk.worker_end
    }
    hk.worker "copy"(%a, %empty : !smem, !bar) num_warps = 4 {
    ^bb0(%t: !smem, %e: !bar):
      %w0 = arith.constant 0 : i32
      %x = arith.constant dense<0.0> : !half
      hk_nv.mbarrier_wait %e, %w0 : !bar
      hk.local_store %x, %t : !half -> !smem
      hk.worker_end
    }
  }
  return %d : !acc
}

// A partition overwrites the tile after an arrival that precedes the wgmma and a relayed one that follows it. The wait
// comes before the relayed arrival.
// CHECK-LABEL: @relayed_besides_another(
// CHECK: hk_nv.mbarrier_arrive
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.warpgroup_mma_wait
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK: hk.worker
func.func @relayed_besides_another(%p: i32) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %begun = hk.local_alloc : () -> !bar
  %done = hk.local_alloc : () -> !bar
  %empty = hk.local_alloc : () -> !bar
  %d = hk.warp_specialize -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    hk_nv.mbarrier_arrive %begun, 1 : !bar
    %y = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    hk_nv.mbarrier_arrive %done, 1 : !bar
    hk.warp_yield %y : !acc
  } workers {
    hk.worker "relay"(%done, %empty : !bar, !bar) num_warps = 4 {
    ^bb0(%f: !bar, %e: !bar):
      %w0 = arith.constant 0 : i32
      hk_nv.mbarrier_wait %f, %w0 : !bar
      hk_nv.mbarrier_arrive %e, 1 : !bar
      hk.worker_end
    }
    hk.worker "copy"(%a, %begun, %empty : !smem, !bar, !bar) num_warps = 4 {
    ^bb0(%t: !smem, %b: !bar, %e: !bar):
      %w0 = arith.constant 0 : i32
      %x = arith.constant dense<0.0> : !half
      hk_nv.mbarrier_wait %b, %w0 : !bar
      hk_nv.mbarrier_wait %e, %w0 : !bar
      hk.local_store %x, %t : !half -> !smem
      hk.worker_end
    }
  }
  return %d : !acc
}
}
