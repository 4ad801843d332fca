// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers \
// RUN:   | FileCheck %s --implicit-check-not=group_barrier --implicit-check-not=hk.barrier --implicit-check-not=slot_barrier
//
// Pipelines in straight lines, before another pipeline. They end without a slot, so the boundary gets one: a bare barrier,
// or a fence where that settles a hazard. Every barrier there is is named: two group_barriers in all where the groups stay
// apart, four where all warps meet.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {

// No hazard: the slot at the boundary is a bare barrier.
// CHECK-LABEL: @line_then_line
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: stage "a"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "d"
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @line_then_line() {
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
  }
  hk.stage "c" phase_gap = 1 {
  }
  hk.stage "d" {
  }
  return
}

// "d" reads what "b" has written, two stages later: the slot at the boundary is a fence. Arithmetic may stand between the two.
// CHECK-LABEL: @fence_between_lines
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: stage "b"
// CHECK-NEXT: hk.local_store
// CHECK-NEXT: arith.addf
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: hk.slot_barrier
// CHECK: hk.local_load
// CHECK: hk.group_barrier
// CHECK: return
func.func @fence_between_lines(%x: !v) -> !v {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
    hk.local_store %x, %a : !v -> !a
  }
  %y = arith.addf %x, %x : !v
  hk.stage "c" phase_gap = 1 {
  }
  hk.stage "d" {
    %l = hk.local_load %a : !a -> !t
  }
  return %y : !v
}

// "c" reads it one stage later, which is too close: all warps meet in between.
// CHECK-LABEL: @hazard_between_lines
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: hk.local_store
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.local_load
// CHECK: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @hazard_between_lines(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "c" phase_gap = 1 {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "d" {
  }
  return
}

// With a lag of two, "d" is too close as well.
// CHECK-LABEL: @hazard_at_a_lag_of_two
// CHECK: hk.barrier local
// CHECK-COUNT-2: hk.group_barrier
// CHECK-COUNT-2: hk.slot_barrier
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK-COUNT-2: hk.group_barrier
// CHECK-COUNT-2: hk.slot_barrier
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: return
func.func @hazard_at_a_lag_of_two(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 2 {
  }
  hk.stage "0" {
  }
  hk.stage "b" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "c" phase_gap = 2 {
  }
  hk.stage "d" {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "e" {
  }
  return
}

// A barrier between the two is where all warps meet.
// CHECK-LABEL: @barrier_between_lines
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier{{$}}
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @barrier_between_lines() {
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
  }
  hk.barrier
  hk.stage "c" phase_gap = 1 {
  }
  hk.stage "d" {
  }
  return
}

// A loop after a straight-line pipeline, without a hazard between them.
// CHECK-LABEL: @line_then_loop
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK-NEXT: scf.for
// CHECK-COUNT-2: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @line_then_loop(%n: i32, %m: i32, %s: i32) {
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The loop's first stage reads what the last stage before it has written.
// CHECK-LABEL: @hazard_into_loop
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK-COUNT-2: hk.slot_barrier
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @hazard_into_loop(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
    hk.local_store %x, %a : !v -> !a
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
