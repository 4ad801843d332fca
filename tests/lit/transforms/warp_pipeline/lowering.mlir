// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// The pass is idempotent:
// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-warp-pipeline-lowering -o %t.once
// RUN: hocket-opt %t.once --split-input-file --hocket-warp-pipeline-lowering -o %t.twice
// RUN: diff %t.once %t.twice

// Two stages without shared memory: the exact order of all operations.

!v = tensor<512xf32, #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// CHECK-LABEL: @two_stages
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.group_barrier high{{$}}
// CHECK-NEXT: hk.sched_barrier stage "double"
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[X:.+]] = %{{.+}}) -> {{.*}} : i32 {
// CHECK-NEXT:   %[[A:.+]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.slot_barrier
// CHECK-NEXT:   hk.sched_barrier stage "square"
// CHECK-NEXT:   %[[B:.+]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:   hk.sched_barrier{{$}}
// CHECK-NEXT:   hk.slot_barrier
// CHECK-NEXT:   hk.sched_barrier stage "double"
// CHECK-NEXT:   scf.yield %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK-NEXT: hk.group_barrier low{{$}}
// CHECK-NEXT: return
func.func @two_stages(%n: i32, %m: i32, %s: i32, %x: !v) -> !v {
  %r = scf.for %k = %n to %m step %s iter_args(%c = %x) -> !v : i32 {
    %a = hk.stage "double" -> !v {
      %t = arith.addf %c, %c : !v
      hk.stage_yield %t : !v
    }
    %b = hk.stage "square" -> !v {
      %t = arith.mulf %a, %a : !v
      hk.stage_yield %t : !v
    }
    scf.yield %b : !v
  } {hk.pipelined = 1 : i32}
  return %r : !v
}

// Right after a barrier all warps have met: no second one is needed.
// CHECK-LABEL: @behind_a_barrier
// CHECK-NEXT: hk.barrier{{$}}
// CHECK-NEXT: arith.addf
// CHECK-NEXT: hk.group_barrier high
// CHECK: scf.for
// CHECK: return
func.func @behind_a_barrier(%n: i32, %m: i32, %s: i32, %x: !v) -> !v {
  hk.barrier
  %y = arith.addf %x, %x : !v
  %r = scf.for %k = %n to %m step %s iter_args(%c = %y) -> !v : i32 {
    %a = hk.stage "double" -> !v {
      %t = arith.addf %c, %c : !v
      hk.stage_yield %t : !v
    }
    hk.stage "pause" {
    }
    scf.yield %a : !v
  } {hk.pipelined = 1 : i32}
  return %r : !v
}

// One priority given: every stage sets one, the first before the loop too; 0 afterwards.
// CHECK-LABEL: @priorities
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.set_priority 0
// CHECK: scf.for
// CHECK-NEXT: hk.set_priority 3
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK: {{^    [}]$}}
// CHECK-NEXT: hk.set_priority 0
// CHECK-NOT: set_priority
// CHECK: return
func.func @priorities(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" priority = 3 {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// A straight-line pipeline has one slot fewer. A lag of two stages: two barriers on each side.
// CHECK-LABEL: @straight
// CHECK: hk.barrier local
// CHECK: hk.group_barrier high
// CHECK-NEXT: hk.group_barrier high
// CHECK-NEXT: hk.set_priority 1
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier stage ""
// CHECK: hk.group_barrier low
// CHECK-NEXT: hk.group_barrier low
// CHECK-NEXT: return
func.func @straight() {
  hk.stage "a" priority = 1 phase_gap = 2 {
  }
  hk.stage "b" {
  }
  hk.stage "c" {
  }
  return
}

// Waits stay between their stages. A wait at the top of the loop places slot 0 there.
// CHECK-LABEL: @waits
// CHECK: hk.group_barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.set_priority 1
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: }
// CHECK-NEXT: hk.set_priority 0
func.func @waits(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "a" priority = 1 {
    }
    hk.barrier
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// A loop without stages is unchanged.
// CHECK-LABEL: @plain_loop
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @plain_loop(%n: i32, %m: i32, %s: i32, %x: !v) -> !v {
  %r = scf.for %k = %n to %m step %s iter_args(%c = %x) -> !v : i32 {
    %t = arith.addf %c, %c : !v
    scf.yield %t : !v
  }
  return %r : !v
}
}

// -----

// Eight stages with single-slot buffers: fences at slots 5 and 7 only.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {
// CHECK-LABEL: @eight_stages
// CHECK: scf.for
// CHECK: hk.local_load
// CHECK: hk.slot_barrier finish_reads
// CHECK: stage "compute 0"
// CHECK: hk.slot_barrier{{$}}
// CHECK: stage "load 1"
// CHECK: hk.slot_barrier finish_reads
// CHECK: stage "compute 1"
// CHECK: hk.slot_barrier{{$}}
// CHECK: stage "load 2"
// CHECK: hk.local_load
// CHECK-NEXT: hk.sched_barrier {allow = 1 : i32}
// CHECK-NEXT: hk.local_load
// CHECK: hk.barrier local
// CHECK: stage "compute 2"
// CHECK: hk.slot_barrier{{$}}
// CHECK: stage "store"
// CHECK: hk.barrier local
// CHECK: stage "compute 3"
// CHECK: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "load 0"
// CHECK-NEXT: scf.yield
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @eight_stages(%n: i32, %m: i32, %s: i32, %x: !v, %y: !t) -> !t {
  %a = hk.local_alloc : () -> !a
  %b = hk.local_alloc : () -> !a
  %r = scf.for %k = %n to %m step %s iter_args(%c = %y) -> !t : i32 {
    %l0 = hk.stage "load 0" -> !t {
      %l = hk.local_load %a : !a -> !t
      hk.stage_yield %l : !t
    }
    %c0 = hk.stage "compute 0" -> !t {
      %o = arith.addf %c, %l0 : !t
      hk.stage_yield %o : !t
    }
    %l1 = hk.stage "load 1" -> !t {
      %l = hk.local_load %b : !a -> !t
      hk.stage_yield %l : !t
    }
    %c1 = hk.stage "compute 1" -> !t {
      %o = arith.addf %c0, %l1 : !t
      hk.stage_yield %o : !t
    }
    %l2:2 = hk.stage "load 2" -> !t, !t {
      %l = hk.local_load %a : !a -> !t
      %o = hk.local_load %b : !a -> !t
      hk.stage_yield %l, %o : !t, !t
    }
    %c2 = hk.stage "compute 2" -> !t {
      %o = arith.addf %c1, %l2#0 : !t
      hk.stage_yield %o : !t
    }
    hk.stage "store" {
      hk.local_store %x, %a : !v -> !a
      hk.local_store %x, %b : !v -> !a
    }
    %c3 = hk.stage "compute 3" -> !t {
      %o = arith.addf %c2, %l2#1 : !t
      hk.stage_yield %o : !t
    }
    scf.yield %c3 : !t
  } {hk.pipelined = 1 : i32}
  return %r : !t
}
}
