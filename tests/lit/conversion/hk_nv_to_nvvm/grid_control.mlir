// RUN: hocket-opt %s --cse --hocket-lane-pipeline | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// A load before the wait is not reused after it.
// CHECK-LABEL: llvm.func @read_again
// CHECK: lane.load
// CHECK: nvvm.griddepcontrol wait
// CHECK: lane.load
// CHECK: lane.store
// CHECK: nvvm.griddepcontrol launch_dependents
func.func public @read_again(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  %0 = hk.load %p : !hk.ptr<f32> -> f32
  hk_nv.wait_for_grids
  %1 = hk.load %p : !hk.ptr<f32> -> f32
  %2 = arith.addf %0, %1 : f32
  hk.store %p, %2 : !hk.ptr<f32>, f32
  hk_nv.launch_dependents
  return
}
}
