// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// What the warps of a group exchange among themselves (#half: warps 0 to 3 have the first half of a tile in #row as well)
// needs a fence anywhere from one stage to the other, also right before the other.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {

// Adjacent stages in both directions: both slots are fences.
// CHECK-LABEL: @adjacent
// CHECK: scf.for
// CHECK: hk.local_store
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK-NEXT: hk.local_load
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "store"
// CHECK-NEXT: }
func.func @adjacent(%n: i32, %m: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "store" {
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "load" {
      %l = hk.local_load %a : !a -> !h
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The lag makes no difference.
// CHECK-LABEL: @longer_lag
// CHECK: scf.for
// CHECK: hk.local_store
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "compute"
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "store"
func.func @longer_lag(%n: i32, %m: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "store" phase_gap = 2 {
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "load" {
      %l = hk.local_load %a : !a -> !h
    }
    hk.stage "compute" {
    }
  } {hk.pipelined = 2 : i32}
  return
}

// The slot right before the load, which would be too late for the other group.
// CHECK-LABEL: @latest_slot
// CHECK: hk.local_store
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "pause"
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
func.func @latest_slot(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "store" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "pause" {
  }
  hk.stage "load" {
    %l = hk.local_load %a : !a -> !h
  }
  return
}

// A second tile is read by all warps, two stages later: one fence, early enough for both.
// CHECK-LABEL: @both
// CHECK: hk.local_store
// CHECK: hk.local_store
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "pause"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "load"
func.func @both(%x: !v) -> (!h, !t) {
  %a = hk.local_alloc : () -> !a
  %b = hk.local_alloc : () -> !a
  hk.stage "store" {
    hk.local_store %x, %a : !v -> !a
    hk.local_store %x, %b : !v -> !a
  }
  hk.stage "pause" {
  }
  %r:2 = hk.stage "load" -> !h, !t {
    %l = hk.local_load %a : !a -> !h
    %t = hk.local_load %b : !a -> !t
    hk.stage_yield %l, %t : !h, !t
  }
  return %r#0, %r#1 : !h, !t
}

// Each warp waits for its own copies, then for the others of its group.
// CHECK-LABEL: @copies
// CHECK: scf.for
// CHECK: hk_amd.buffer_load_to_shared
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK-NEXT: {{.*}}remsi
// CHECK: hk.local_load
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "copy"
func.func @copies(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc : () -> !ring2
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "copy" {
      %n = arith.addi %k, %c1 : i32
      %i = arith.remsi %n, %c2 : i32
      %s = hk.memdesc_index %a[%i] : !ring2 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %s : !hk.ptr<f32>, !i -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "load" {
      %i = arith.remsi %k, %c2 : i32
      %s = hk.memdesc_index %a[%i] : !ring2 -> !a
      %l = hk.local_load %s : !a -> !h
    }
  } {hk.pipelined = 1 : i32}
  return
}

// A copy of a group's own elements that is in flight at the start of the pipeline.
// CHECK-LABEL: @entry
// CHECK: hk.group_barrier
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK-NEXT: hk.local_load
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @entry(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !i -> !a
  hk.async_commit_group
  hk.stage "pause" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "load" {
    %l = hk.local_load %a : !a -> !h
  }
  return
}

// From one pipeline into the next: the slot at the boundary is a fence, and the groups stay apart.
// CHECK-LABEL: @boundary
// CHECK: hk.group_barrier
// CHECK: hk.local_store
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK-NEXT: hk.local_load
// CHECK: stage "rest"
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @boundary(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "pause" phase_gap = 1 {
  }
  hk.stage "store" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "load" phase_gap = 1 {
    %l = hk.local_load %a : !a -> !h
  }
  hk.stage "rest" {
  }
  return
}
}
