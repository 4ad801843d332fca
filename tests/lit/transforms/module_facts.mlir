// The module must name its target for every pass that depends on it, even if no function is marked as a kernel.
//
// RUN: hocket-opt %s --verify-diagnostics --hocket-warp-pipeline-partition
// RUN: hocket-opt %s --verify-diagnostics --hocket-prefetch
// RUN: hocket-opt %s --verify-diagnostics --hocket-allocate-memory
// RUN: hocket-opt %s --verify-diagnostics --hocket-warp-pipeline-lowering
// RUN: hocket-opt %s --verify-diagnostics --hocket-insert-barriers
// RUN: hocket-opt %s --verify-diagnostics --hocket-convert-hk-to-lane
// RUN: not hocket-emit %s ptx 2>&1 | FileCheck %s

// CHECK: the module must have a target (hk.target) and number of warps (hk.num_warps)
// expected-error @below {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module attributes {hk.num_warps = 4 : i32} {
func.func @f(%x: !hk.ptr<i32>, %n: i32) -> i32 {
  %0 = hk.atomic_rmw add, %x, %n : !hk.ptr<i32>, i32
  return %0 : i32
}
}
