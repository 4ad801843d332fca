// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,CLEAN

// Nothing is known to be in a stage, yet all markers stay, in their order.

// CHECK-LABEL: @markers
func.func @markers() {
  // CHECK-NEXT: hk.stage_begin "load" {phase_gap = 2 : i32, priority = 1 : i32}
  // CHECK-NEXT: hk.stage_end
  // CHECK-NEXT: hk.stage_begin ""
  // CHECK-NEXT: hk.stage_end
  // CHECK-NEXT: hk.stage_begin "compute" exclusive in_loop {priority = 2 : i32}
  // CHECK-NEXT: hk.stage_end
  // CHECK-NEXT: hk.sched_barrier stage "compute"
  hk.stage_begin "load" {phase_gap = 2 : i32, priority = 1 : i32}
  hk.stage_end
  hk.stage_begin ""
  hk.stage_end
  hk.stage_begin "compute" exclusive in_loop {priority = 2 : i32}
  hk.stage_end
  hk.sched_barrier stage "compute"
  return
}

// Loads of different stages are not merged: memory may have changed.

// CHECK-LABEL: @two_loads
func.func @two_loads(%p: !hk.ptr<f32>) -> (f32, f32) {
  // CLEAN: hk.load
  // CLEAN: hk.stage_end
  // CLEAN: hk.load
  hk.stage_begin "a"
  %x = hk.load %p : !hk.ptr<f32> -> f32
  hk.stage_end
  hk.stage_begin "b"
  %y = hk.load %p : !hk.ptr<f32> -> f32
  hk.stage_end
  return %x, %y : f32, f32
}

// CHECK-LABEL: @regions
func.func @regions(%p: !hk.ptr<f32>) -> f32 {
  // CHECK: %[[X:.+]] = hk.stage "load" priority = 1 phase_gap = 2 -> f32 {
  // CHECK:   hk.stage_yield %{{.+}} : f32
  // CHECK: hk.stage "pause" {
  // CHECK-NEXT: }
  // CHECK: return %[[X]]
  %x = hk.stage "load" priority = 1 phase_gap = 2 -> f32 {
    %v = hk.load %p : !hk.ptr<f32> -> f32
    hk.stage_yield %v : f32
  }
  hk.stage "pause" {
  }
  return %x : f32
}
