// RUN: hocket-opt %s --split-input-file --hocket-warp-pipeline-partition --verify-diagnostics | FileCheck %s
// The pass is idempotent.
// RUN: hocket-opt %s --split-input-file --hocket-warp-pipeline-partition --hocket-warp-pipeline-partition --verify-diagnostics | FileCheck %s

// Rejections are in tests/lit/transforms/warp_pipeline/partition_invalid.mlir.

#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 8], warps_per_cta = [8, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
!tile = tensor<64x64xf16, #blocked>
!smem = !hk.memdesc<64x64xf16, #shared>
!ring = !hk.memdesc<3x64x64xf16, #shared>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// Loops ---------------------------------------------------------------------------------------------------------------

// Two stages with a wait between them. Scalars at the top join the first stage; stages capture the accumulator.

// CHECK-LABEL: @loop
// CHECK: %[[LOOP:.+]] = scf.for %[[I:.+]] = {{.*}} iter_args(%[[ACC:.+]] = %{{.+}})
// CHECK-NEXT: %[[TILE:.+]] = hk.stage "load" priority = 1 -> tensor<64x64xf16, #{{.+}}> {
// CHECK-NEXT:   %[[K:.+]] = arith.remsi %[[I]]
// CHECK-NEXT:   %[[SLOT:.+]] = hk.memdesc_index %{{.+}}[%[[K]]]
// CHECK-NEXT:   %[[X:.+]] = hk.local_load %[[SLOT]]
// CHECK-NEXT:   hk.stage_yield %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: %[[SUM:.+]] = hk.stage "compute" -> tensor<64x64xf16, #{{.+}}> {
// CHECK-NEXT:   %[[Y:.+]] = arith.addf %[[ACC]], %[[TILE]]
// CHECK-NEXT:   hk.stage_yield %[[Y]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK-NEXT: } {hk.pipelined = 1 : i32}
// CHECK: return %[[LOOP]]
func.func @loop(%ring: !ring, %n: i32, %zero: !tile) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %k = arith.remsi %i, %c3 : i32
    hk.stage_begin "load" {priority = 1 : i32}
    %slot = hk.memdesc_index %ring[%k] : !ring -> !smem
    %x = hk.local_load %slot : !smem -> !tile
    hk.stage_end
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage_begin "compute"
    %y = arith.addf %acc, %x : !tile
    hk.stage_end
    scf.yield %y : !tile
  }
  return %r : !tile
}

// Trailing scalars join the last stage, also across a wait at the bottom: no third stage (A10). Scalars between stages
// move over the barrier into the next stage.

// CHECK-LABEL: @scalars
// CHECK: scf.for
// CHECK-NEXT: hk.stage "a" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: %[[NEXT:.+]] = hk.stage "b" -> i32 {
// CHECK-NEXT:   arith.addi
// CHECK-NEXT:   hk.store
// CHECK-NEXT:   %[[SUM:.+]] = arith.addi
// CHECK-NEXT:   hk.stage_yield %[[SUM]]
// CHECK-NEXT: }
// CHECK-NEXT: hk.async_wait_group
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: } {hk.pipelined = 1 : i32}
func.func @scalars(%p: !hk.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (i32) : i32 {
    hk.stage_begin "a"
    hk.stage_end
    %twice = arith.addi %i, %i : i32
    hk.barrier
    hk.stage_begin "b"
    hk.store %p, %twice : !hk.ptr<i32>, i32
    hk.stage_end
    hk.async_wait_group {outstanding = 0 : i32}
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }
  return %r : i32
}

// An empty stage is a pause and stays (A11). Stages without labels are numbered. The loop has the lag as an attribute.

// CHECK-LABEL: @bubble
// CHECK: scf.for
// CHECK-NEXT: hk.stage "stage 1" {
// CHECK:      hk.stage "pause" priority = 3 {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "stage 3" {
// CHECK:      } {hk.pipelined = 2 : i32}
func.func @bubble(%p: !hk.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "" {phase_gap = 2 : i32}
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "pause" {priority = 3 : i32}
    hk.stage_end
    hk.stage_begin ""
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
  }
  return
}

// A reduction within each warp needs no barrier (A8); stages may contain branches.

// CHECK-LABEL: @warp_local_reduction
// CHECK: hk.stage "reduce" -> f16 {
// CHECK:   hk.reduce
// CHECK: hk.stage "store" {
// CHECK:   scf.if
func.func @warp_local_reduction(%tile: tensor<8x64xf16, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>, %p: !hk.ptr<f16>, %n: i32, %flag: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "reduce"
    %rows = hk.reduce %tile axis = 1 {
    ^bb0(%a: f16, %b: f16):
      %sum = arith.addf %a, %b : f16
      hk.combine.return %sum : f16
    } : (tensor<8x64xf16, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>) -> tensor<8xf16, #hk.slice<dim = 1, parent = #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>>
    %all = hk.reduce %rows axis = 0 {
    ^bb0(%a: f16, %b: f16):
      %sum = arith.addf %a, %b : f16
      hk.combine.return %sum : f16
    } : (tensor<8xf16, #hk.slice<dim = 1, parent = #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>>) -> f16
    hk.stage_end
    hk.stage_begin "store"
    scf.if %flag {
      hk.store %p, %all : !hk.ptr<f16>, f16
    }
    hk.stage_end
  }
  return
}

// Bounds and conditions may be loaded from memory that the kernel does not write, or come from an atomic that runs
// once.

// CHECK-LABEL: @bounds_from_memory
// CHECK: scf.for
// CHECK: } {hk.pipelined = 1 : i32}
func.func @bounds_from_memory(%sizes: !hk.ptr<i32>, %counter: !hk.ptr<i32>, %out: !hk.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %n = hk.load %sizes : !hk.ptr<i32> -> i32
  %first = hk.atomic_rmw add, %counter, %c1 : !hk.ptr<i32>, i32
  %runs = arith.cmpi slt, %first, %n : i32
  scf.if %runs {
    scf.for %i = %first to %n step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.store %out, %i : !hk.ptr<i32>, i32
      hk.stage_end
    }
  }
  return
}

// Straight lines ------------------------------------------------------------------------------------------------------

// Consecutive stages are a pipeline; operations before and after stay outside. Other operations separate two pipelines.

// CHECK-LABEL: @flat
// CHECK:      arith.addi
// CHECK-NEXT: hk.async_wait_group {outstanding = 2 : i32}
// CHECK-NEXT: %[[X:.+]] = hk.stage "a" phase_gap = 2 -> i32 {
// CHECK-NEXT:   hk.load
// CHECK:      hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.stage "b" {
// CHECK-NEXT:   arith.muli
// CHECK-NEXT:   hk.store
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "c" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: arith.subi
// CHECK-NEXT: hk.store
// CHECK-NEXT: hk.stage "d" phase_gap = 1 {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "e" {
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @flat(%p: !hk.ptr<i32>, %n: i32) {
  %before = arith.addi %n, %n : i32
  hk.async_wait_group {outstanding = 2 : i32}
  hk.stage_begin "a" {phase_gap = 2 : i32}
  %x = hk.load %p : !hk.ptr<i32> -> i32
  hk.stage_end
  hk.async_wait_group {outstanding = 1 : i32}
  %y = arith.muli %x, %before : i32
  hk.stage_begin "b"
  hk.store %p, %y : !hk.ptr<i32>, i32
  hk.stage_end
  hk.stage_begin "c"
  hk.stage_end
  hk.async_wait_group {outstanding = 0 : i32}
  %behind = arith.subi %x, %n : i32
  hk.store %p, %behind : !hk.ptr<i32>, i32
  hk.stage_begin "d"
  hk.stage_end
  hk.stage_begin "e"
  hk.stage_end
  return
}

// A phase_gap begins another pipeline. Waits before it lie between the two, in neither of them.

// CHECK-LABEL: @line_and_line
// CHECK-NEXT: hk.stage "a" phase_gap = 1 {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "b" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk.stage "c" phase_gap = 2 {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "d" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "e" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "f" phase_gap = 1 {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "g" {
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @line_and_line() {
  hk.stage_begin "a"
  hk.stage_end
  hk.stage_begin "b"
  hk.stage_end
  hk.async_wait_group {outstanding = 1 : i32}
  hk.barrier
  hk.stage_begin "c" {phase_gap = 2 : i32}
  hk.stage_end
  hk.stage_begin "d"
  hk.stage_end
  hk.stage_begin "e"
  hk.stage_end
  hk.stage_begin "f" {phase_gap = 1 : i32}
  hk.stage_end
  hk.stage_begin "g"
  hk.stage_end
  return
}

// A pipelined loop and the drain after it are two pipelines.

// CHECK-LABEL: @loop_and_drain
// CHECK: scf.for
// CHECK: } {hk.pipelined = 1 : i32}
// CHECK-NEXT: hk.stage "c" phase_gap = 1 {
// CHECK: hk.stage "d" {
func.func @loop_and_drain(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  hk.stage_begin "c"
  hk.stage_end
  hk.stage_begin "d"
  hk.stage_end
  return
}

// Loops with one iteration are removed; their stages form straight-line pipelines in the enclosing block.

// CHECK-LABEL: @left_of_loops
// CHECK: scf.for
// CHECK-NEXT: hk.stage "a" phase_gap = 1 {
// CHECK: hk.stage "b" {
// CHECK: hk.barrier
// CHECK-NEXT: hk.stage "c" phase_gap = 1 {
// CHECK: hk.stage "d" {
// CHECK: } {hk.around_stages}
// CHECK-NEXT: scf.if
// CHECK-NEXT: hk.stage "e" phase_gap = 1 {
// CHECK: hk.stage "f" {
func.func @left_of_loops(%n: i32, %flag: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "a" in_loop {phase_gap = 1 : i32}
    hk.stage_end
    hk.stage_begin "b" in_loop
    hk.stage_end
    hk.barrier
    hk.stage_begin "c" in_loop {phase_gap = 1 : i32}
    hk.stage_end
    hk.stage_begin "d" in_loop
    hk.stage_end
  } {hk.around_stages}
  scf.if %flag {
    hk.stage_begin "e" in_loop {phase_gap = 1 : i32}
    hk.stage_end
    hk.stage_begin "f" in_loop
    hk.stage_end
  }
  return
}

// Without markers nothing is changed (A15).

// CHECK-LABEL: @no_markers
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (i32) : i32 {
// CHECK-NEXT: hk.async_wait_group
// CHECK-NEXT: hk.load
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @no_markers(%p: !hk.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.load %p : !hk.ptr<i32> -> i32
    hk.barrier
    %y = arith.addi %acc, %x : i32
    scf.yield %y : i32
  }
  return %r : i32
}

// Branches -------------------------------------------------------------------------------------------------------------

// All warps take the same branch.

// CHECK-LABEL: @branch
// CHECK:       scf.if
// CHECK-NEXT:    hk.stage "a" phase_gap = 1
// CHECK:         hk.stage "b"
func.func @branch(%flag: i1) {
  scf.if %flag {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}

// A loop around a loop with stages is not a pipeline itself: its other stages form straight-line pipelines.

// CHECK-LABEL: @drain_in_a_loop
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:         } {hk.pipelined = 1 : i32}
// CHECK:         hk.stage "c" phase_gap = 1
// CHECK:         hk.stage "d"
// CHECK-NOT:     hk.pipelined
func.func @drain_in_a_loop(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    scf.for %k = %n to %n step %n : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
    hk.stage_begin "c" {phase_gap = 1 : i32}
    hk.stage_end
    hk.stage_begin "d"
    hk.stage_end
  } {hk.around_stages}
  return
}
}
