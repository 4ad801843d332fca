// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-warp-pipeline-lowering
// RUN: not hocket-opt %s --split-input-file --hocket-warp-pipeline-lowering --mlir-print-ir-after-failure 2>&1 | FileCheck %s
//
// Pipelines not in the form that hocket-warp-pipeline-partition produces, and targets without warp pipelines.

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The first pipeline is valid, but nothing is changed because the second is not.
// CHECK-LABEL: IR Dump After WarpPipelineLowering Failed
// CHECK-NOT: barrier
// CHECK: func.func @single_stage
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.stage "a" {
// CHECK-NEXT: }
// CHECK-NEXT: hk.stage "b" {
// CHECK-NEXT: }
// CHECK-NEXT: } {hk.pipelined = 1 : i32}
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.stage "a" {
// CHECK-NEXT: }
// CHECK-NEXT: } {hk.pipelined = 1 : i32}
// CHECK-NEXT: return
func.func @single_stage(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  // expected-error @below {{a warp pipeline needs at least two stages}}
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @single_stage_in_line() {
  // expected-error @below {{a warp pipeline needs at least two stages}}
  hk.stage "a" {
  }
  return
}
}

// -----

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @two_waits(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
    // expected-error @below {{this is the second wait between two stages of a warp pipeline}}
    // expected-note @below {{hint: keep one of them, or put an empty stage between the two}}
    hk.barrier
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @waits_at_both_ends(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "a" {
    }
    hk.stage "b" {
    }
    // expected-error @below {{this is the second wait between two stages of a warp pipeline}}
    // expected-note @below {{hint: keep one of them, or put an empty stage between the two}}
    hk.async_wait_group {outstanding = 0 : i32}
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @other_operation(%n: i32, %p: !hk.ptr<f32>, %x: f32) {
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
    }
    // expected-error @below {{this is outside the stages of a warp pipeline, and is not a wait}}
    hk.store %p, %x : !hk.ptr<f32>, f32
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @wait_in_stage(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
      // expected-error @below {{all warps would have to wait for each other inside this stage of a warp pipeline}}
      hk.barrier
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
func.func @four_warps(%n: i32) {
  scf.for %k = %n to %n step %n : i32 {
    // expected-error @below {{a warp pipeline needs 8, 12 or 16 warps}}
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
func.func @exchange_in_stage(%n: i32, %x: tensor<512xi32, #row>) {
  scf.for %k = %n to %n step %n : i32 {
    hk.stage "a" {
      // expected-error @below {{all warps would have to wait for each other inside this stage of a warp pipeline}}
      %sum = hk.reduce %x axis = 0 offset = 0 {
      ^bb0(%a: i32, %b: i32):
        %both = arith.addi %a, %b : i32
        hk.combine.return %both : i32
      } : (tensor<512xi32, #row>) -> i32
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
