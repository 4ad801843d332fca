// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#acc = #hk.blocked<size_per_thread = [1, 2], threads_per_warp = [8, 4], warps_per_cta = [1, 1], order = [1, 0]>
#a = #hk.dot_operand<op_idx = 0, parent = #acc>
#b = #hk.dot_operand<op_idx = 1, parent = #acc>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// Two accumulators per lane, K = 2: k = 0 before k = 1. Halves are extended once.
// CHECK-LABEL: llvm.func @halves
func.func public @halves(%p: !hk.ptr<f16>, %q: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[H0:%.*]] = lane.load {{.*}} -> f16
  // CHECK: [[H1:%.*]] = lane.load {{.*}} -> f16
  // CHECK: [[C0:%.*]] = lane.load {{.*}} -> f32
  // CHECK: [[C1:%.*]] = lane.load {{.*}} -> f32
  // CHECK-DAG: [[A0:%.*]] = llvm.fpext [[H0]] : f16 to f32
  // CHECK-DAG: [[A1:%.*]] = llvm.fpext [[H1]] : f16 to f32
  // CHECK-COUNT-4: llvm.fpext
  // CHECK-NOT: llvm.fpext
  // CHECK: [[S0:%.*]] = llvm.intr.fma([[A0]], {{%.*}}, [[C0]])
  // CHECK: [[R0:%.*]] = llvm.intr.fma([[A1]], {{%.*}}, [[S0]])
  // CHECK: [[S1:%.*]] = llvm.intr.fma([[A0]], {{%.*}}, [[C1]])
  // CHECK: [[R1:%.*]] = llvm.intr.fma([[A1]], {{%.*}}, [[S1]])
  %atA = hk.splat %p : !hk.ptr<f16> -> tensor<8x2x!hk.ptr<f16>, #a>
  %atB = hk.splat %p : !hk.ptr<f16> -> tensor<2x8x!hk.ptr<f16>, #b>
  %atC = hk.splat %q : !hk.ptr<f32> -> tensor<8x8x!hk.ptr<f32>, #acc>
  %x = hk.load %atA : tensor<8x2x!hk.ptr<f16>, #a> -> tensor<8x2xf16, #a>
  %c = hk.load %atC : tensor<8x8x!hk.ptr<f32>, #acc> -> tensor<8x8xf32, #acc>
  %y = hk.load %atB : tensor<2x8x!hk.ptr<f16>, #b> -> tensor<2x8xf16, #b>
  %d = hk.dot_fma %x, %y, %c : tensor<8x2xf16, #a>, tensor<2x8xf16, #b> -> tensor<8x8xf32, #acc>
  hk.store %atC, %d : tensor<8x8x!hk.ptr<f32>, #acc>, tensor<8x8xf32, #acc>
  return
}
}

// -----

#acc = #hk.blocked<size_per_thread = [1, 1, 1], threads_per_warp = [2, 8, 4], warps_per_cta = [1, 1, 1], order = [2, 1, 0]>
#a = #hk.dot_operand<op_idx = 0, parent = #acc>
#b = #hk.dot_operand<op_idx = 1, parent = #acc>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// Batches of integers.
// CHECK-LABEL: llvm.func @batched_integers
func.func public @batched_integers(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-COUNT-2: llvm.mul {{%.*}}, {{%.*}} : i32
  // CHECK-NOT: llvm.mul
  // CHECK: lane.store
  %atA = hk.splat %p : !hk.ptr<i32> -> tensor<2x8x2x!hk.ptr<i32>, #a>
  %atB = hk.splat %p : !hk.ptr<i32> -> tensor<2x2x4x!hk.ptr<i32>, #b>
  %atC = hk.splat %p : !hk.ptr<i32> -> tensor<2x8x4x!hk.ptr<i32>, #acc>
  %x = hk.load %atA : tensor<2x8x2x!hk.ptr<i32>, #a> -> tensor<2x8x2xi32, #a>
  %y = hk.load %atB : tensor<2x2x4x!hk.ptr<i32>, #b> -> tensor<2x2x4xi32, #b>
  %c = hk.load %atC : tensor<2x8x4x!hk.ptr<i32>, #acc> -> tensor<2x8x4xi32, #acc>
  %d = hk.dot_fma %x, %y, %c : tensor<2x8x2xi32, #a>, tensor<2x2x4xi32, #b> -> tensor<2x8x4xi32, #acc>
  hk.store %atC, %d : tensor<2x8x4x!hk.ptr<i32>, #acc>, tensor<2x8x4xi32, #acc>
  return
}
}
