// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// Which slots lie between the stages of pipelines that are joined (WarpPipelineBoundaries.cpp): one that a loop has at its
// top or at its bottom, or one that is added; and which of them are fences.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {

// The second pipeline writes what the first one reads: as close as the other way round.
// CHECK-LABEL: @write_after_read
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.local_store
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @write_after_read(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "c" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "d" {
  }
  return
}

// The slot of the loop is at its top: none is between its last stage and what follows, so one is added.
// CHECK-LABEL: @ends_without_slot
// CHECK: scf.for
// CHECK: hk.sched_barrier stage "b"
// CHECK-NOT: barrier %
// CHECK: {{^    [}]$}}
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: return
func.func @ends_without_slot(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "c" {
  }
  hk.stage "d" {
  }
  return
}

// The slot at the top of a loop is the only one after a straight line.
// CHECK-LABEL: @begins_with_slot
// CHECK: hk.sched_barrier stage "b"
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.async_wait_group
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: return
func.func @begins_with_slot(%n: i32, %m: i32, %s: i32) {
  hk.stage "a" {
  }
  hk.stage "b" {
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The loop in the middle has a fence, but may have zero iterations. "f" reads what "b" has stored.
// CHECK-LABEL: @fence_in_empty_loop
// CHECK-COUNT-2: scf.for
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.sched_barrier stage "f"
// CHECK: return
func.func @fence_in_empty_loop(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  %b = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      hk.local_store %x, %a : !v -> !a
    }
  } {hk.pipelined = 1 : i32}
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
      hk.local_store %x, %b : !v -> !a
    }
    hk.stage "c2" {
    }
    hk.stage "d" {
      %l = hk.local_load %b : !a -> !t
    }
    hk.stage "d2" {
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "f" {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "g" {
  }
  return
}

// No fence lies in the straight line in the middle: the slot that is added after it is one.
// CHECK-LABEL: @bare_slots_between
// CHECK: hk.sched_barrier stage "b"
// CHECK: hk.slot_barrier
// CHECK: hk.sched_barrier stage "c"
// CHECK: hk.slot_barrier
// CHECK: hk.sched_barrier stage "d"
// CHECK: hk.barrier local
// CHECK: hk.sched_barrier stage "e"
// CHECK: hk.slot_barrier
// CHECK: hk.sched_barrier stage "f"
// CHECK: return
func.func @bare_slots_between(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "c" phase_gap = 1 {
  }
  hk.stage "d" {
  }
  hk.stage "e" phase_gap = 1 {
  }
  hk.stage "f" {
    %l = hk.local_load %a : !a -> !t
  }
  return
}

// The fence before the storing stage does not cover its store.
// CHECK-LABEL: @fence_too_early
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: return
func.func @fence_too_early(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.barrier
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

// The fence right after it does: the added slot can be a bare barrier.
// CHECK-LABEL: @fence_behind
// CHECK: hk.group_barrier
// CHECK: hk.local_store
// CHECK: hk.barrier
// CHECK: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @fence_behind(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
    hk.local_store %x, %a : !v -> !a
  }
  hk.barrier
  hk.stage "b" {
  }
  hk.stage "c" phase_gap = 1 {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "d" {
  }
  return
}

// An access between stages ends the pipeline, and another one begins.
// CHECK-LABEL: @access_between
// CHECK-COUNT-2: hk.group_barrier
// CHECK: hk.local_store
// CHECK-COUNT-2: hk.group_barrier
// CHECK: return
func.func @access_between(%x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" phase_gap = 1 {
  }
  hk.stage "b" {
  }
  hk.local_store %x, %a : !v -> !a
  hk.stage "c" {
  }
  hk.stage "d" {
  }
  return
}
}
