// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// Pipelines that follow each other directly: joined where no hazard is left open between them, which shows in two
// group_barriers in all instead of four.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#swap = #hk.linear<reg = [], lane = [[2], [1], [4], [8], [16], [32]], warp = [[64], [128], [256]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!s = tensor<512xf32, #swap>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {

// CHECK-LABEL: @loop_then_line
// CHECK-COUNT-1: hk.group_barrier
// CHECK: scf.for
// CHECK: {{^    [}]$}}
// CHECK-NOT: barrier %
// CHECK: hk.sched_barrier stage "c"
// CHECK: stage "d"
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @loop_then_line(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
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

// Two loops; the second has its slot at the end, like the first.
// CHECK-LABEL: @loop_then_loop
// CHECK-COUNT-1: hk.group_barrier
// CHECK: scf.for
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @loop_then_loop(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// A straight-line pipeline ends without a slot: one is added. It becomes a fence, because "c" reads what "a" has
// written.
// CHECK-LABEL: @line_then_loop
// CHECK-COUNT-1: hk.group_barrier
// CHECK: hk.local_store
// CHECK: hk.slot_barrier
// CHECK: stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "pause"
// CHECK-NEXT: scf.for
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @line_then_loop(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  hk.stage "a" {
    hk.local_store %x, %a : !v -> !a
  }
  hk.stage "b" {
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "pause" {
    }
    hk.stage "c" {
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The loop's last stage writes what the next stage reads: too close. All warps meet in between.
// CHECK-LABEL: @hazard
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.local_load
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @hazard(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      hk.local_store %x, %a : !v -> !a
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "c" {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "d" {
  }
  return
}

// A hazard between two loops.
// CHECK-LABEL: @hazard_between_loops
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @hazard_between_loops(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      hk.local_store %x, %a : !v -> !a
    }
  } {hk.pipelined = 1 : i32}
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The loop in the middle may have zero iterations: then "b" and "e" are as close as without it.
// CHECK-LABEL: @empty_loop_between
// CHECK-COUNT-4: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @empty_loop_between(%n: i32, %m: i32, %s: i32, %x: !v) {
  %a = hk.local_alloc : () -> !a
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      hk.local_store %x, %a : !v -> !a
    }
  } {hk.pipelined = 1 : i32}
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "e" {
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "f" {
  }
  return
}

// The lags differ: all warps must meet.
// CHECK-LABEL: @lags
// CHECK-COUNT-6: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @lags(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  hk.stage "c" phase_gap = 2 {
  }
  hk.stage "d" {
  }
  return
}

// A conversion through scratch memory has a barrier of its own: the groups meet before it. It ends with reads, so
// they meet after it, too, though there was a barrier in front.
// CHECK-LABEL: @conversion_between
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK: hk.barrier
// CHECK: hk.convert_layout
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @conversion_between(%n: i32, %m: i32, %s: i32, %v: !v) -> !t {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  hk.barrier local
  %converted = hk.convert_layout %v : !v -> !t
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return %converted : !t
}

// CHECK-LABEL: @loop_with_conversion_between
// CHECK-COUNT-4: hk.group_barrier
// CHECK: return
func.func @loop_with_conversion_between(%n: i32, %m: i32, %s: i32, %v: !v) -> !v {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  %result = scf.for %k = %n to %m step %s iter_args(%old = %v) -> !v : i32 {
    %there = hk.convert_layout %old : !v -> !t
    %back = hk.convert_layout %there : !t -> !v
    scf.yield %back : !v
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return %result : !v
}

}
