// RUN: hocket-opt %s --hocket-unroll-loops | FileCheck %s
// RUN: hocket-opt %s --hocket-unroll-loops --canonicalize | FileCheck %s --check-prefix=CLEAN
// RUN: hocket-opt %s --hocket-unroll-loops --canonicalize --cse --hocket-warp-pipeline-partition | FileCheck %s --check-prefix=STAGES

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// Whole groups of iterations, then those that are left over, which start where the groups end. Other wishes stay. The two
// have a number in common.

// CHECK-LABEL: @sum(
// CHECK-SAME: %[[P:.+]]: !hk.ptr<i32>, %[[LOWER:.+]]: i32, %[[UPPER:.+]]: i32, %[[STEP:.+]]: i32
// CHECK: %[[RUNS:.+]] = arith.cmpi slt, %[[LOWER]], %[[UPPER]]
// CHECK: arith.divui
// CHECK: %[[HAS_GROUPS:.+]] = arith.andi %[[RUNS]]
// CHECK: %[[LENGTH:.+]] = arith.select %[[HAS_GROUPS]]
// CHECK: %[[MIDDLE:.+]] = arith.addi %[[LOWER]], %[[LENGTH]]
// CHECK: %[[WIDE:.+]] = arith.muli %[[STEP]], %{{.+}}
// CHECK: %[[GROUPS:.+]] = scf.for %[[I:.+]] = %[[LOWER]] to %[[MIDDLE]] step %[[WIDE]] iter_args(%[[ACC:.+]] = %{{.+}}) -> (i32) : i32 {
// CHECK-NEXT:   %[[X:.+]] = arith.addi %[[ACC]], %[[I]]
// CHECK-NEXT:   %[[J:.+]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT:   %[[Y:.+]] = arith.addi %[[X]], %[[J]]
// CHECK-NEXT:   scf.yield %[[Y]]
// CHECK-NEXT: } {hk.num_stages = 3 : i32, hk.series = 0 : i32}
// CHECK-NEXT: %[[ALL:.+]] = scf.for %[[I:.+]] = %[[MIDDLE]] to %[[UPPER]] step %[[STEP]] iter_args(%[[ACC:.+]] = %[[GROUPS]]) -> (i32) : i32 {
// CHECK-NEXT:   %[[X:.+]] = arith.addi %[[ACC]], %[[I]]
// CHECK-NEXT:   scf.yield %[[X]]
// CHECK-NEXT: } {hk.num_stages = 3 : i32, hk.series = 0 : i32}
// CHECK-NEXT: return %[[ALL]]
func.func @sum(%p: !hk.ptr<i32>, %lower: i32, %upper: i32, %step: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %r = scf.for %i = %lower to %upper step %step iter_args(%acc = %c0) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  } {hk.unroll = 2 : i32, hk.num_stages = 3 : i32}
  return %r : i32
}

// Unsigned bounds stay unsigned. With constants nothing is left to compute, and no loop without iterations.

// CLEAN-LABEL: @constant_bounds
// CLEAN-DAG: %[[C9:.+]] = arith.constant 9 : i32
// CLEAN-DAG: %[[C1:.+]] = arith.constant 1 : i32
// CLEAN-DAG: %[[C4:.+]] = arith.constant 4 : i32
// CLEAN-NEXT: scf.for unsigned %{{.+}} = %[[C1]] to %[[C9]] step %[[C4]] : i32 {
// CLEAN-COUNT-4: hk.store
// CLEAN-NEXT: }
// CLEAN-NEXT: return
func.func @constant_bounds(%p: !hk.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  scf.for unsigned %i = %c1 to %c9 step %c1 : i32 {
    hk.store %p, %i : !hk.ptr<i32>, i32
  } {hk.unroll = 4 : i32}
  return
}

// Inner and outer loops may both be unrolled.

// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK-COUNT-4: scf.for
// CHECK-NOT: scf.for
// CHECK: }
// CHECK: scf.for
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @nested(%p: !hk.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      hk.store %p, %j : !hk.ptr<i32>, i32
    } {hk.unroll = 2 : i32}
  } {hk.unroll = 2 : i32}
  return
}

// Groups and rest of a warp pipeline are both pipelines (A12). The index of the second copy joins its first stage, also
// over the wait that the copy begins with.

// STAGES-LABEL: @pipeline
// STAGES: scf.for
// STAGES-NEXT: hk.async_wait_group
// STAGES-NEXT: hk.stage "a" {
// STAGES-NEXT:   hk.store
// STAGES-NEXT: }
// STAGES-NEXT: hk.stage "b" {
// STAGES-NEXT: }
// STAGES-NEXT: hk.async_wait_group
// STAGES-NEXT: hk.stage "a" {
// STAGES-NEXT:   arith.addi
// STAGES-NEXT:   hk.store
// STAGES-NEXT: }
// STAGES-NEXT: hk.stage "b" {
// STAGES-NEXT: }
// STAGES-NEXT: } {hk.pipelined = 1 : i32, hk.series = {{[0-9]+}} : i32}
// STAGES-NEXT: scf.for
// STAGES-NEXT: hk.async_wait_group
// STAGES-NEXT: hk.stage "a" {
// STAGES:      hk.stage "b" {
// STAGES:      } {hk.pipelined = 1 : i32, hk.series = {{[0-9]+}} : i32}
func.func @pipeline(%p: !hk.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage_begin "a"
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  } {hk.unroll = 2 : i32}
  return
}

// An index counts in 64 bits.
// CHECK-LABEL: @over_index(
// CHECK: arith.constant 9223372036854775807 : index
// CHECK: scf.for
// CHECK: scf.for
func.func @over_index(%n: index) {
  scf.for %i = %n to %n step %n {
  } {hk.unroll = 4 : i32}
  return
}
}
