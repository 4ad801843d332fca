// RUN: hocket-opt %s --hocket-defer-exchanges | FileCheck %s
// The checks accept the result.
// RUN: hocket-opt %s --hocket-defer-exchanges --hocket-warp-pipeline-partition --hocket-allocate-memory --hocket-warp-pipeline-lowering | FileCheck %s --check-prefix=LOWERED

// Errors are in tests/lit/transforms/warp_pipeline/defer_exchanges_refused.mlir.

// Warps 0 to 3 have rows of their own; columns belong to warps of both groups.
#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [2, 4], order = [1, 0]>
#own_rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [8, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [16, 4], warps_per_cta = [1, 8], order = [0, 1]>
#line = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
!tile = tensor<32x64xf32, #rows>
!maxima = tensor<32xf32, #hk.slice<dim = 1, parent = #rows>>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// A conversion within each group, between neighboring stages. The write of the next iteration is one stage after the
// read, so one slot is enough.

// CHECK-LABEL: @conversion
// CHECK: %[[TILE:.+]] = hk.local_alloc : () -> !hk.memdesc<32x64xf32, #
// CHECK: scf.for
// CHECK: hk.stage_begin "convert"
// CHECK-NEXT: hk.local_store %{{.+}}, %[[TILE]]
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "use"
// CHECK-NEXT: %[[X:.+]] = hk.local_load %[[TILE]] : {{.+}} -> tensor<32x64xf32, #{{.+}}>
// CHECK-NEXT: hk.store %{{.+}}, %[[X]]
// LOWERED-LABEL: @conversion
// LOWERED: scf.for
// LOWERED: hk.local_store
// LOWERED: hk.barrier local
// LOWERED: hk.local_load
// LOWERED: hk.barrier local
func.func @conversion(%n: i32, %x: !tile, %p: tensor<32x64x!hk.ptr<f32>, #own_rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "convert"
    %y = hk.convert_layout %x : !tile -> tensor<32x64xf32, #own_rows>
    hk.stage_end
    hk.stage_begin "use"
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #own_rows>, tensor<32x64xf32, #own_rows>
    hk.stage_end
  }
  return
}

// Values pass between the groups, two stages from write to read. With one slot, the next write would be one stage after
// the read, so there are two, which a new loop-carried variable selects.

// CHECK-LABEL: @conversion_between_groups
// CHECK: %[[RING:.+]] = hk.local_alloc : () -> !hk.memdesc<2x32x64xf32, #
// CHECK: scf.for {{.+}} iter_args(%[[SLOT:.+]] = %{{.+}})
// CHECK: hk.stage_begin "convert"
// CHECK-NEXT: %[[WRITTEN:.+]] = hk.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK-NEXT: hk.local_store %{{.+}}, %[[WRITTEN]]
// CHECK: hk.stage_begin "use"
// CHECK-NEXT: %[[READ:.+]] = hk.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK-NEXT: hk.local_load %[[READ]]
// CHECK: arith.addi %[[SLOT]]
// CHECK: arith.select
// LOWERED-LABEL: @conversion_between_groups
// LOWERED: hk.local_load
func.func @conversion_between_groups(%n: i32, %x: !tile, %p: tensor<32x64x!hk.ptr<f32>, #columns>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "convert"
    %y = hk.convert_layout %x : !tile -> tensor<32x64xf32, #columns>
    hk.stage_end
    hk.stage_begin "pause"
    hk.stage_end
    hk.stage_begin "use"
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #columns>, tensor<32x64xf32, #columns>
    hk.stage_end
  }
  return
}

// A reduction: within each warp before the store, in registers after the load. The view moves to the stage that uses it.

// CHECK-LABEL: @reduction
// CHECK: hk.stage_begin "reduce"
// CHECK: hk.reduce {{.+}} axis = 2
// CHECK: hk.local_store {{.+}} : tensor<32x4xf32, #
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "use"
// CHECK-NEXT: hk.local_load
// CHECK-NEXT: hk.reduce {{.+}} axis = 1
// CHECK: hk.expand_dims
// CHECK: hk.stage_end
func.func @reduction(%n: i32, %x: !tile, %p: tensor<32x1x!hk.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "reduce"
    %m = hk.reduce %x axis = 1 {
    ^bb0(%a: f32, %b: f32):
      %larger = arith.maximumf %a, %b : f32
      hk.combine.return %larger : f32
    } : (!tile) -> !maxima
    %view = hk.expand_dims %m axis = 1 : !maxima -> tensor<32x1xf32, #rows>
    hk.stage_end
    hk.stage_begin "use"
    hk.store %p, %view : tensor<32x1x!hk.ptr<f32>, #rows>, tensor<32x1xf32, #rows>
    hk.stage_end
  }
  return
}

// A gather reads the elements that its indices select; the indices are taken modulo the size.

// CHECK-LABEL: @gather
// CHECK: hk.stage_begin "gather"
// CHECK-NEXT: hk.local_store
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "use"
// CHECK: arith.andi
// CHECK-NEXT: hk.local_gather
func.func @gather(%n: i32, %x: !tile, %i: tensor<32x64xi32, #rows>, %p: tensor<32x64x!hk.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.stage_begin "gather"
    %y = hk.gather %x[%i] axis = 1 : !tile, tensor<32x64xi32, #rows> -> !tile
    hk.stage_end
    hk.stage_begin "use"
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #rows>, !tile
    hk.stage_end
  }
  return
}

// Only the next iteration uses the result: it reads the slot of the iteration before. The variable keeps its initial
// value, which the first iteration uses, and the code after a loop without iterations.

// CHECK-LABEL: @carried
// CHECK: %[[LOOP:.+]]:2 = scf.for %[[I:.+]] = %[[LOW:.+]] to %[[HIGH:.+]] step %{{.+}} iter_args(%[[INITIAL:.+]] = %{{.+}}, %[[SLOT:.+]] = %{{.+}})
// CHECK: hk.stage_begin "use"
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[I]], %[[LOW]]
// CHECK: arith.addi %[[SLOT]]
// CHECK: arith.remsi
// CHECK: hk.local_load
// CHECK: %[[TOTAL:.+]] = arith.select %[[IS_FIRST]], %[[INITIAL]]
// CHECK: hk.store %{{.+}}, %[[TOTAL]]
// CHECK: hk.local_store
// CHECK: scf.yield %[[INITIAL]], %{{.+}}
// CHECK: %[[IS_EMPTY:.+]] = arith.cmpi sge, %[[LOW]], %[[HIGH]]
// CHECK: hk.local_load
// CHECK: %[[LAST:.+]] = arith.select %[[IS_EMPTY]], %[[LOOP]]#0
// CHECK: return %[[LAST]]
// LOWERED-LABEL: @carried
// LOWERED: hk.local_load
func.func @carried(%n: i32, %x: !tile, %p: !hk.ptr<f32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %flat = hk.reshape %x : !tile -> tensor<2048xf32, #hk.linear<reg = [[512], [1024]], lane = [[1], [2], [4], [8], [64], [128]], warp = [[16], [32], [256]], block = [], shape = [2048]>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (f32) : i32 {
    hk.stage_begin "use"
    hk.store %p, %total : !hk.ptr<f32>, f32
    %s = hk.reduce %flat axis = 0 {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      hk.combine.return %sum : f32
    } : (tensor<2048xf32, #hk.linear<reg = [[512], [1024]], lane = [[1], [2], [4], [8], [64], [128]], warp = [[16], [32], [256]], block = [], shape = [2048]>>) -> f32
    hk.stage_end
    hk.stage_begin "pause"
    hk.stage_end
    scf.yield %s : f32
  }
  return %r : f32
}

// The indices of a gather that the next iteration reads are carried, too.

// CHECK-LABEL: @carried_gather
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[BEFORE:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK: arith.andi %[[BEFORE]]
// CHECK-NEXT: hk.local_gather
// CHECK: %[[INDICES:.+]] = hk.load
// CHECK: hk.local_store
// CHECK: scf.yield %{{.+}}, %[[INDICES]], %{{.+}} :
// LOWERED-LABEL: @carried_gather
// LOWERED: hk.local_gather
func.func @carried_gather(%n: i32, %x: !tile, %i: tensor<32x64x!hk.ptr<i32>, #rows>, %p: tensor<32x64x!hk.ptr<f32>, #rows>, %zero: !tile) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%last = %zero) -> (!tile) : i32 {
    hk.stage_begin "gather"
    hk.store %p, %last : tensor<32x64x!hk.ptr<f32>, #rows>, !tile
    %indices = hk.load %i : tensor<32x64x!hk.ptr<i32>, #rows> -> tensor<32x64xi32, #rows>
    %y = hk.gather %x[%indices] axis = 0 : !tile, tensor<32x64xi32, #rows> -> !tile
    hk.stage_end
    hk.stage_begin "pause"
    hk.stage_end
    scf.yield %y : !tile
  }
  return
}

// A scalar that only code after a pipeline in straight-line code uses: the load is after the pipeline, where all warps
// synchronize.

// CHECK-LABEL: @used_after
// CHECK: scf.if
// CHECK: hk.stage_begin "reduce"
// CHECK: hk.local_store
// CHECK: hk.stage_begin "pause"
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.local_load
// CHECK-NEXT: %[[TOTAL:.+]] = hk.reduce
// CHECK: %[[SCALED:.+]] = arith.mulf %[[TOTAL]]
// CHECK: scf.yield %[[SCALED]]
// LOWERED-LABEL: @used_after
// LOWERED: hk.group_barrier low
// LOWERED-NEXT: hk.local_load
func.func @used_after(%flag: i1, %x: tensor<512xf32, #line>, %zero: f32) -> f32 {
  %r = scf.if %flag -> f32 {
    hk.stage_begin "reduce"
    %s = hk.reduce %x axis = 0 {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      hk.combine.return %sum : f32
    } : (tensor<512xf32, #line>) -> f32
    %scaled = arith.mulf %s, %zero : f32
    hk.stage_end
    hk.stage_begin "pause"
    hk.stage_end
    scf.yield %scaled : f32
  } else {
    scf.yield %zero : f32
  }
  return %r : f32
}

// A pipeline directly after another one remains joined to it: its tile is allocated before both.

// CHECK-LABEL: @joined
// CHECK: hk.local_alloc
// CHECK: scf.for
// CHECK: hk.stage_begin "drain"
// CHECK-NEXT: hk.local_store
// LOWERED-LABEL: @joined
// LOWERED: hk.group_barrier high
// LOWERED-NOT: hk.group_barrier
// LOWERED: hk.local_load
// LOWERED: hk.group_barrier low
func.func @joined(%n: i32, %x: !tile, %q: !hk.ptr<i32>, %p: tensor<32x64x!hk.ptr<f32>, #own_rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.store %q, %i : !hk.ptr<i32>, i32
    hk.stage_end
  }
  hk.stage_begin "drain"
  %y = hk.convert_layout %x : !tile -> tensor<32x64xf32, #own_rows>
  hk.stage_end
  hk.stage_begin "use"
  hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #own_rows>, tensor<32x64xf32, #own_rows>
  hk.stage_end
  return
}
}
