// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-warp-pipeline-lowering | FileCheck %s
//
// Stages that communicate through global memory: the slot between them orders it, too.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!ptr = !hk.ptr<f32>
!vptrs = tensor<512x!hk.ptr<f32>, #row>
!tptrs = tensor<512x!hk.ptr<f32>, #turn>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// CHECK-LABEL: @exchange
// CHECK:       hk.barrier local
// CHECK:       scf.for
// CHECK:         hk.store
// CHECK-NOT:     hk.ordered
// CHECK:         hk.sched_barrier
// CHECK-NEXT:    hk.barrier{{$}}
// CHECK-NEXT:    hk.sched_barrier stage "pause"
// CHECK:         hk.slot_barrier
// CHECK-NEXT:    hk.sched_barrier stage "load"
// CHECK:         hk.load
// CHECK:         hk.barrier{{$}}
// CHECK-NEXT:    hk.sched_barrier stage "wait"
// CHECK:         hk.slot_barrier
func.func @exchange(%n: i32, %x: !v, %to: !ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = hk.arange 0 to 512 : tensor<512xi32, #row>
  %j = hk.arange 0 to 512 : tensor<512xi32, #turn>
  %p = hk.splat %to : !ptr -> !vptrs
  %q = hk.splat %to : !ptr -> !tptrs
  %w = hk.addptr %p, %i : !vptrs, tensor<512xi32, #row>
  %r = hk.addptr %q, %j : !tptrs, tensor<512xi32, #turn>
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "store" { hk.store %w, %x : !vptrs, !v }
    hk.stage "pause" {}
    hk.stage "load" { %l = hk.load %r : !tptrs -> !t }
    hk.stage "wait" {}
  } {hk.pipelined = 1 : i32}
  return
}

// Each element stays with its lane.
// CHECK-LABEL: @in_place
// CHECK:       hk.barrier local
// CHECK:       scf.for
// CHECK-NOT:     hk.barrier
func.func @in_place(%n: i32, %to: !ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = hk.arange 0 to 512 : tensor<512xi32, #row>
  %p = hk.splat %to : !ptr -> !vptrs
  %w = hk.addptr %p, %i : !vptrs, tensor<512xi32, #row>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %l = hk.stage "load" -> !v {
      %l = hk.load %w : !vptrs -> !v
      hk.stage_yield %l : !v
    }
    hk.stage "store" { hk.store %w, %l : !vptrs, !v }
  } {hk.pipelined = 1 : i32}
  return
}

// Shared and global memory at one slot.
// CHECK-LABEL: @both
// CHECK:       scf.for
// CHECK:         hk.local_store
// CHECK:         hk.barrier{{$}}
// CHECK-NEXT:    hk.sched_barrier stage "pause"
// CHECK:         hk.slot_barrier
// CHECK-NEXT:    hk.sched_barrier stage "load"
func.func @both(%n: i32, %x: !v, %to: !ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !hk.memdesc<512xf32, #shared>
  %i = hk.arange 0 to 512 : tensor<512xi32, #row>
  %j = hk.arange 0 to 512 : tensor<512xi32, #turn>
  %p = hk.splat %to : !ptr -> !vptrs
  %q = hk.splat %to : !ptr -> !tptrs
  %w = hk.addptr %p, %i : !vptrs, tensor<512xi32, #row>
  %r = hk.addptr %q, %j : !tptrs, tensor<512xi32, #turn>
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "store" {
      hk.store %w, %x : !vptrs, !v
      hk.local_store %x, %a : !v -> !hk.memdesc<512xf32, #shared>
    }
    hk.stage "pause" {}
    hk.stage "load" {
      %l = hk.load %r : !tptrs -> !t
      %s = hk.local_load %a : !hk.memdesc<512xf32, #shared> -> !t
    }
    hk.stage "wait" {}
  } {hk.pipelined = 1 : i32}
  return
}

// From one pipeline to the next: all warps meet, and the barrier there orders global memory.
// CHECK-LABEL: @in_a_row
// CHECK:       hk.barrier local
// CHECK:       scf.for
// CHECK:       hk.group_barrier
// CHECK:       hk.barrier{{$}}
// CHECK:       scf.for
func.func @in_a_row(%n: i32, %x: !v, %to: !ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = hk.arange 0 to 512 : tensor<512xi32, #row>
  %j = hk.arange 0 to 512 : tensor<512xi32, #turn>
  %p = hk.splat %to : !ptr -> !vptrs
  %q = hk.splat %to : !ptr -> !tptrs
  %w = hk.addptr %p, %i : !vptrs, tensor<512xi32, #row>
  %r = hk.addptr %q, %j : !tptrs, tensor<512xi32, #turn>
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "store" { hk.store %w, %x : !vptrs, !v }
    hk.stage "pause" {}
  } {hk.pipelined = 1 : i32}
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "load" { %l = hk.load %r : !tptrs -> !t }
    hk.stage "wait" {}
  } {hk.pipelined = 1 : i32}
  return
}

// The third pipeline stores to the array from which the first pipeline loads. The third pipeline is joined to the second
// pipeline, so the barrier before the second pipeline orders global memory.
// CHECK-LABEL: @before_joined_pipelines
// CHECK:         hk.load
// CHECK:       hk.group_barrier low
// CHECK-NEXT:  hk.group_barrier low
// CHECK-NEXT:  hk.barrier{{$}}
// CHECK-NEXT:  hk.group_barrier high
// CHECK-NOT:   hk.group_barrier
// CHECK:         hk.store
// CHECK:       hk.group_barrier low
func.func @before_joined_pipelines(%n: i32, %x: !v, %to: !ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = hk.arange 0 to 512 : tensor<512xi32, #row>
  %j = hk.arange 0 to 512 : tensor<512xi32, #turn>
  %p = hk.splat %to : !ptr -> !vptrs
  %q = hk.splat %to : !ptr -> !tptrs
  %w = hk.addptr %p, %i : !vptrs, tensor<512xi32, #row>
  %r = hk.addptr %q, %j : !tptrs, tensor<512xi32, #turn>
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "load" { %l = hk.load %r : !tptrs -> !t }
    hk.stage "pause" {}
    hk.stage "wait" {}
  } {hk.pipelined = 2 : i32}
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "pause" {}
    hk.stage "wait" {}
  } {hk.pipelined = 1 : i32}
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage "pause" {}
    hk.stage "store" { hk.store %w, %x : !vptrs, !v }
  } {hk.pipelined = 1 : i32}
  return
}
}
