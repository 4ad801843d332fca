// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// 16 warps are four groups. Group g executes lags[g] of the barriers before the pipeline (`high` with at most g low
// groups), and maxLag - lags[g] of those after it (`low` with more than g low groups).

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [16], order = [0]>
#pair = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4], [512]], block = [], shape = [1024]>
!v = tensor<1024xf32, #row>
!p = tensor<1024xf32, #pair>
!a = !hk.memdesc<1024xf32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>
module attributes {hk.num_warps = 16 : i32, hk.target = "gfx950"} {

// CHECK-LABEL: @multiples_of_the_gap
// CHECK: hk.barrier local
// CHECK-NEXT: hk.group_barrier high{{$}}
// CHECK-NEXT: hk.group_barrier high {hk.low_groups = 2 : i32}
// CHECK-NEXT: hk.group_barrier high {hk.low_groups = 3 : i32}
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK-NEXT: hk.group_barrier low {hk.low_groups = 3 : i32}
// CHECK-NEXT: hk.group_barrier low {hk.low_groups = 2 : i32}
// CHECK-NEXT: hk.group_barrier low{{$}}
// CHECK-NEXT: return
func.func @multiples_of_the_gap(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// CHECK-LABEL: @lags
// CHECK: hk.group_barrier high {hk.low_groups = 2 : i32}
// CHECK-NEXT: hk.group_barrier high {hk.low_groups = 3 : i32}
// CHECK-NEXT: hk.group_barrier high {hk.low_groups = 3 : i32}
// CHECK: hk.sched_barrier stage ""
// CHECK-NEXT: hk.group_barrier low {hk.low_groups = 3 : i32}
// CHECK-NEXT: hk.group_barrier low {hk.low_groups = 3 : i32}
// CHECK-NEXT: hk.group_barrier low {hk.low_groups = 2 : i32}
// CHECK-NEXT: return
func.func @lags() {
  hk.stage "0" phase_gap = 1 attributes {hk.group_lags = array<i32: 0, 0, 1, 3>} {
  }
  hk.stage "1" {
  }
  hk.stage "2" {
  }
  hk.stage "3" {
  }
  return
}

// Data pass between groups 0 and 1, and between groups 2 and 3, whose lags differ by one. The fence is at the slot one
// stage before the load.
// CHECK-LABEL: @pairs
// CHECK: hk.local_store
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "pause"
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "another"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "load"
func.func @pairs(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "store" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "pause" {
  }
  hk.stage "another" {
  }
  hk.stage "load" {
    %l = hk.local_load %a : !a -> !p
  }
  return
}

// Groups with equal lags pass each slot together, so that the slot before the load is a fence for data that pass
// between groups 0 and 1.
// CHECK-LABEL: @equal_lags
// CHECK: hk.local_store
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
func.func @equal_lags(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "store" phase_gap = 1 attributes {hk.group_lags = array<i32: 0, 0, 1, 1>} {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "load" {
    %l = hk.local_load %a : !a -> !p
  }
  return
}
}

// -----

// Each exclusive stage has one named barrier for each group.

module attributes {hk.num_warps = 16 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @exclusive
// CHECK: hk.end_exclusive group = high number = 2
// CHECK: hk.begin_exclusive number = 2
// CHECK: hk.end_exclusive number = 2
// CHECK: hk.begin_exclusive group = low number = 2
func.func @exclusive(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "mma" exclusive {
    }
    hk.stage "softmax" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
