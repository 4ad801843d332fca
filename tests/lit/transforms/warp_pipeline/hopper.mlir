// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers --hocket-insert-proxy-fences | FileCheck %s
//
// On targets with named barriers, which order all accesses, each slot is one named barrier.

!v = tensor<512xf32, #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [8], order = [0]>>
module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @two_stages
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.group_barrier high number = 2
// CHECK-NEXT: hk.sched_barrier stage "double"
// CHECK-NEXT: scf.for
// CHECK-NEXT:   arith.addf
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.slot_barrier number = 2{{$}}
// CHECK-NEXT:   hk.sched_barrier stage "square"
// CHECK-NEXT:   arith.mulf
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.slot_barrier number = 2{{$}}
// CHECK-NEXT:   hk.sched_barrier stage "double"
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK-NEXT: hk.group_barrier low number = 2
// CHECK-NEXT: return
func.func @two_stages(%n: i32, %m: i32, %s: i32, %x: !v) -> !v {
  %r = scf.for %k = %n to %m step %s iter_args(%c = %x) -> !v : i32 {
    // expected-remark @below {{priorities have no effect here: warps of sm_90a have none}}
    %a = hk.stage "double" priority = 1 -> !v {
      %t = arith.addf %c, %c : !v
      hk.stage_yield %t : !v
    }
    // The program's own barrier becomes the barrier of the slot.
    hk.barrier
    %b = hk.stage "square" -> !v {
      %t = arith.mulf %a, %a : !v
      hk.stage_yield %t : !v
    }
    scf.yield %b : !v
  } {hk.pipelined = 1 : i32}
  return %r : !v
}

// A lag of two stages is two barriers at which only one group stops.
// CHECK-LABEL: @lag
// CHECK: hk.group_barrier high number = 2
// CHECK-NEXT: hk.group_barrier high number = 2
// CHECK-NEXT: hk.sched_barrier
// CHECK: scf.for
// CHECK-COUNT-3: hk.slot_barrier number = 2{{$}}
// CHECK: }
// CHECK: hk.group_barrier low number = 2
// CHECK-NEXT: hk.group_barrier low number = 2
// CHECK-NEXT: return
func.func @lag(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
    hk.stage "c" {
    }
  } {hk.pipelined = 2 : i32}
  return
}
}

// -----

// Ping-pong groups have no common barrier: each waits at the start of its stage until the other has finished its own.
// Other pipelines of the partition reuse the first of the two barriers.
module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @turns
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.end_exclusive group = high number = 2
// CHECK-NEXT: hk.sched_barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.sched_barrier stage "a"
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.begin_exclusive number = 2{{$}}
// CHECK-NEXT:   hk.sched_barrier stage "b"
// CHECK-NEXT:   hk.end_exclusive number = 2{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK-NEXT: hk.begin_exclusive group = low number = 2
// CHECK: hk.group_barrier high number = 2
func.func @turns(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" exclusive {
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "c" phase_gap = 1 {
  }
  hk.stage "d" {
  }
  return
}

// A later partition uses the next barrier but one.
// CHECK-LABEL: @turns_in_a_partition
// CHECK: hk.end_exclusive group = high number = 3
// CHECK: hk.worker
// CHECK: hk.group_barrier high number = 5
func.func @turns_in_a_partition(%n: i32, %m: i32, %s: i32) {
  hk.warp_specialize {
    hk.stage "a" phase_gap = 1 exclusive {
    }
    hk.stage "b" {
    }
    hk.warp_yield
  } workers {
    hk.worker "pipelined" num_warps = 8 {
      hk.stage "a" phase_gap = 1 {
      }
      hk.stage "b" {
      }
      hk.worker_end
    }
  }
  return
}
}

// -----

// Each partition has its own barrier, numbered after those of the block and of the workers; its pipelines share
// it.

module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @partitions
// CHECK: hk.group_barrier high number = 4
// CHECK: hk.slot_barrier number = 4{{$}}
// CHECK: hk.warp_specialize
// CHECK: hk.group_barrier high number = 4
// CHECK: hk.slot_barrier number = 4{{$}}
// CHECK: hk.group_barrier low number = 4
// CHECK: hk.warp_yield
// CHECK: hk.worker "pipelined"
// CHECK: hk.group_barrier high number = 5
// CHECK: hk.slot_barrier number = 5{{$}}
// CHECK: hk.group_barrier low number = 5
// CHECK: hk.worker "other"
func.func @partitions(%n: i32, %m: i32, %s: i32) {
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
  }
  hk.warp_specialize {
    scf.for %k = %n to %m step %s : i32 {
      hk.stage "a" {
      }
      hk.stage "b" {
      }
    } {hk.pipelined = 1 : i32}
    hk.warp_yield
  } workers {
    hk.worker "pipelined" num_warps = 8 {
      hk.stage "a" phase_gap = 1 {
      }
      hk.stage "b" {
      }
      hk.worker_end
    }
    hk.worker "other" num_warps = 1 {
      hk.worker_end
    }
  }
  return
}
}

// -----

// wgmma reads the lanes' stores through the async proxy: the storing stage ends with a fence, so that the first slot
// after it publishes the stores. The fence of the stores before the loop is before the barrier there.

#row = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [8, 1], order = [1, 0]>
#mma = #hk_nv.mma<version = [3, 0], warps_per_cta = [8, 1], instr_shape = [16, 64, 16]>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!f = tensor<128x64xf16, #row>
!acc = tensor<128x64xf32, #mma>
!ring = !hk.memdesc<2x128x64xf16, #tile>
!slot = !hk.memdesc<128x64xf16, #tile>
!b = !hk.memdesc<64x64xf16, #tile>
module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @stores_for_products
// CHECK: hk.local_store
// CHECK-NOT: hk.barrier
// CHECK: hk.proxy_fence
// CHECK-NEXT: hk.barrier local
// CHECK: scf.for
// CHECK-NOT: hk.barrier
// CHECK: hk.slot_barrier number = 2{{$}}
// CHECK-NOT: hk.proxy_fence
// CHECK: hk_nv.warpgroup_mma
// CHECK-NOT: hk.barrier
// CHECK: hk_nv.warpgroup_mma_wait
// CHECK-NOT: hk.proxy_fence
// CHECK: hk.slot_barrier number = 2{{$}}
// CHECK: hk.local_store
// CHECK-NOT: hk.barrier
// CHECK: hk.proxy_fence
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier number = 2{{$}}
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @stores_for_products(%n: i32, %x: !f, %zero: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc name = "ring" : () -> !ring
  %b = hk.local_alloc name = "b" : () -> !b
  %first = hk.memdesc_index %ring[%c0] : !ring -> !slot
  hk.local_store %x, %first : !f -> !slot
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %now = arith.remsi %k, %c2 : i32
    %k1 = arith.addi %k, %c1 : i32
    %next = arith.remsi %k1, %c2 : i32
    hk.stage "pause" {
    }
    %d = hk.stage "multiply" -> !acc {
      %a = hk.memdesc_index %ring[%now] : !ring -> !slot
      %p = hk_nv.warpgroup_mma %a, %b, %acc : !slot, !b -> !acc
      %w = hk_nv.warpgroup_mma_wait %p {outstanding = 0 : i32} : !acc
      hk.stage_yield %w : !acc
    }
    hk.stage "store" {
      %a = hk.memdesc_index %ring[%next] : !ring -> !slot
      hk.local_store %x, %a : !f -> !slot
    }
    scf.yield %d : !acc
  } {hk.pipelined = 1 : i32}
  return %r : !acc
}
}
