// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,CLEAN

// Nothing is known to be in a stage, yet all markers stay, in their order.

// CHECK-LABEL: @markers
func.func @markers() {
  // CHECK-NEXT: hk_amd.stage_begin "load" {phase_gap = 2 : i32, priority = 1 : i32}
  // CHECK-NEXT: hk_amd.stage_end
  // CHECK-NEXT: hk_amd.stage_begin ""
  // CHECK-NEXT: hk_amd.stage_end
  hk_amd.stage_begin "load" {phase_gap = 2 : i32, priority = 1 : i32}
  hk_amd.stage_end
  hk_amd.stage_begin ""
  hk_amd.stage_end
  return
}

// What stands in one stage is not merged with what stands in another: memory may have changed.

// CHECK-LABEL: @two_loads
func.func @two_loads(%p: !hk.ptr<f32>) -> (f32, f32) {
  // CLEAN: hk.load
  // CLEAN: hk_amd.stage_end
  // CLEAN: hk.load
  hk_amd.stage_begin "a"
  %x = hk.load %p : !hk.ptr<f32> -> f32
  hk_amd.stage_end
  hk_amd.stage_begin "b"
  %y = hk.load %p : !hk.ptr<f32> -> f32
  hk_amd.stage_end
  return %x, %y : f32, f32
}

// CHECK-LABEL: @regions
func.func @regions(%p: !hk.ptr<f32>) -> f32 {
  // CHECK: %[[X:.+]] = hk_amd.stage "load" priority = 1 phase_gap = 2 -> f32 {
  // CHECK:   hk_amd.stage_yield %{{.+}} : f32
  // CHECK: hk_amd.stage "pause" {
  // CHECK-NEXT: }
  // CHECK: return %[[X]]
  %x = hk_amd.stage "load" priority = 1 phase_gap = 2 -> f32 {
    %v = hk.load %p : !hk.ptr<f32> -> f32
    hk_amd.stage_yield %v : f32
  }
  hk_amd.stage "pause" {
  }
  return %x : f32
}

// CHECK-LABEL: @barriers
func.func @barriers(%condition: i1) {
  // CHECK: hk_amd.warp_group
  // CHECK: hk_amd.cond_barrier %{{.+}}
  // CHECK-NEXT: hk_amd.raw_barrier{{$}}
  // CHECK-NEXT: hk_amd.raw_barrier finish_reads
  // CHECK-NEXT: hk_amd.set_priority 3
  %group = hk_amd.warp_group
  %zero = arith.constant 0 : i32
  %is_low = arith.cmpi eq, %group, %zero : i32
  hk_amd.cond_barrier %is_low
  hk_amd.raw_barrier
  hk_amd.raw_barrier finish_reads
  hk_amd.set_priority 3
  return
}
