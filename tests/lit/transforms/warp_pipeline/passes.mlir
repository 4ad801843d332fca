// RUN: hocket-opt %s --hocket-unroll-loops --canonicalize --cse --hocket-warp-pipeline-partition --hocket-allocate-memory \
// RUN:   --hocket-warp-pipeline-lowering --hocket-insert-barriers \
// RUN:   | FileCheck %s '--implicit-check-not=hk.stage "' --implicit-check-not=hk.pipelined
//
// From markers to barriers: each pass must accept the output of the previous one. Afterwards there are no stages, and
// no barriers except one per slot and those around the loop.

#tile = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>
#row = #hk.slice<dim = 0, parent = #tile>
#sums = #hk.slice<dim = 1, parent = #row>
#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [8, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [8, 8], warps_per_cta = [1, 8], order = [0, 1]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// A barrier that the program puts between stages becomes the slot's barrier.
// CHECK-LABEL: @users_barrier
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: }
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @users_barrier(%n: i32, %m: i32, %s: i32) {
  scf.for %i = %n to %m step %s : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.barrier
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}

// A reduction within warps, an empty stage, and scalars after the last stage: three slots.
// CHECK-LABEL: @reduction_within_warps
// CHECK: scf.for
// CHECK-NEXT: %[[SUMS:.+]] = hk.reduce
// CHECK: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "pause"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "store"
// CHECK-NEXT: hk.store %{{.+}}, %[[SUMS]]
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "reduce"
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: }
func.func @reduction_within_warps(%x: tensor<8x64xf16, #row>, %p: tensor<8x!hk.ptr<f16>, #sums>, %n: i32, %s: i32) -> i32 {
  %r = scf.for %i = %n to %s step %s iter_args(%count = %n) -> (i32) : i32 {
    hk.stage_begin "reduce"
    %sums = hk.reduce %x axis = 1 {
    ^bb0(%a: f16, %b: f16):
      %sum = arith.addf %a, %b : f16
      hk.combine.return %sum : f16
    } : (tensor<8x64xf16, #row>) -> tensor<8xf16, #sums>
    hk.stage_end
    hk.stage_begin "pause"
    hk.stage_end
    hk.stage_begin "store"
    hk.store %p, %sums : tensor<8x!hk.ptr<f16>, #sums>, tensor<8xf16, #sums>
    hk.stage_end
    %next = arith.addi %count, %s : i32
    scf.yield %next : i32
  }
  return %r : i32
}

// Unrolled by two, with a remainder: both loops are pipelines, of six slots and of three, and joined.
// CHECK-LABEL: @unrolled
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-COUNT-6: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK-COUNT-3: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: }
// CHECK: hk.group_barrier
// CHECK-NEXT: return
func.func @unrolled(%n: i32, %m: i32, %p: !hk.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %n to %m step %c1 : i32 {
    hk.stage_begin "a"
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
    hk.stage_begin "c"
    hk.stage_end
  } {hk.unroll = 2 : i32}
  return
}

// The first stage is repeated with each copy; the lag is that of the whole loop.
// CHECK-LABEL: @unrolled_with_a_lag
// CHECK-COUNT-2: hk.group_barrier
// CHECK: scf.for
// CHECK-COUNT-6: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK-COUNT-3: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: }
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: return
func.func @unrolled_with_a_lag(%n: i32, %m: i32, %p: !hk.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %n to %m step %c1 : i32 {
    hk.stage_begin "a" {phase_gap = 2 : i32}
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
    hk.stage_begin "c"
    hk.stage_end
  } {hk.unroll = 2 : i32}
  return
}

// A loop with one iteration becomes a separate straight-line pipeline: the next one reads its data so soon that all
// warps meet.
// CHECK-LABEL: @one_iteration
// CHECK-NOT: scf.for
// CHECK: hk.group_barrier
// CHECK: hk.local_store
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.local_load
// CHECK: hk.group_barrier
// CHECK: return
func.func @one_iteration(%x: tensor<8x64xf16, #rows>) -> tensor<8x64xf16, #columns> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !hk.memdesc<8x64xf16, #shared>
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    hk.stage_begin "a" {phase_gap = 1 : i32}
    hk.stage_end
    hk.stage_begin "b"
    hk.local_store %x, %a : tensor<8x64xf16, #rows> -> !hk.memdesc<8x64xf16, #shared>
    hk.stage_end
  }
  hk.stage_begin "c" {phase_gap = 1 : i32}
  %l = hk.local_load %a : !hk.memdesc<8x64xf16, #shared> -> tensor<8x64xf16, #columns>
  hk.stage_end
  hk.stage_begin "d"
  hk.stage_end
  return %l : tensor<8x64xf16, #columns>
}
}
